"""Single operations, so that a nominal peak has a measured neighbour: `matmul`, `convolution`,
`copy`; see `repeated`.
"""

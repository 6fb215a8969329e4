# SPDX-License-Identifier: Apache-2.0
"""Read anybody's span: one file per family, in an explicit order."""

# SPDX-License-Identifier: Apache-2.0
"""Judge numbers: the subsystem checks, declared, one file each."""

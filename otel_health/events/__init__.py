# SPDX-License-Identifier: Apache-2.0
"""What happened: the event, its bounded memory, and its journal."""

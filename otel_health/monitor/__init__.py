# SPDX-License-Identifier: Apache-2.0
"""Report and advise: the engine, the published report, transitions and history."""

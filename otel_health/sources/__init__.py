# SPDX-License-Identifier: Apache-2.0
"""Where spans come from: decoding files, putting traces together, replaying journals."""

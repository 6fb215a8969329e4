# SPDX-License-Identifier: Apache-2.0
"""`python -m otel_health` is `otel-health`."""

from __future__ import annotations

import sys

from otel_health.cli import main

if __name__ == "__main__":
    sys.exit(main())

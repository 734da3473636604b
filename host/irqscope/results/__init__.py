"""The run folder: everything needed to repeat a run and to judge it.

=============================  ================================================================
``run.json``                   what was asked, who answered, counters, statistics, how it ended
``samples/part-NNNNN.parquet`` one row a stimulus, in the order of time
``histogram.parquet``          one row a bin that counted something
``SHA256SUMS``                 sums of the three above, as sha256sum has them
``log.txt``                    what happened when
``report.html``                the report, once it was made
=============================  ================================================================

Every file is written under another name, synced, and renamed, so that each is whole whenever the
program ends. A flush renames first its part, then the histogram, then ``run.json``; both Parquet
files bear the number of their flush, which shows a reader which belong together.
"""

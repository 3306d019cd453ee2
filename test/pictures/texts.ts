/** Lines of the tools' answers that the report quotes. */
export const EVIDENCE = {
  deployment: '11:52  checkout  2.14.1   ben     Read the pool size from the new configuration',
  pool: 'checkout  12:00  5     5       43',
  rate: 'checkout  5m      4812      6.1       5013',
  pod: 'checkout-7c9d6b8f5-q7hns    0/1    CrashLoopBackOff  9         38m  node-04',
  order: '11:58:46.730 INFO  http   GET /v1/orders/81723 200 31 ms',
};

/** Answers of the scripted model. */
export const FINDINGS = {
  kubernetes: `Two of three pods of **checkout** are ready. \`checkout-7c9d6b8f5-q7hns\` restarts: its readiness probe answers 503, because the connection pool is exhausted (5 of 5 in use, 43 waiting).`,
  metrics: `**6.1 %** of the requests to checkout failed in the last five minutes, against 0.2 % over the day. The pool had 50 connections until 11:50 and has 5 since 11:55.`,
  deploys: `checkout **2.14.1** was deployed at 11:52 by ben: *Read the pool size from the new configuration*. The version before, 2.14.0, ran from 08:10.`,
  nothingDeployed: 'No version of **payments** was deployed in the last four days.',
  growing: `## What is known so far

All pods of **payments** are ready, none was restarted.

| pod | node | restarts |
|---|---|---|
| payments-84f7b6d9c-tz5lp | node-01 | 0 |

The slow requests end after 5 s, which is the time limit of `,
};

export const SYNTHESIS = `## Cause

Version **2.14.1** of checkout reads the size of its connection pool from the new configuration, which says 5. Until 11:50 the pool had 50 connections.

| time | pool size | in use | waiting |
|---|---|---|---|
| 11:50 | 50 | 19 | 0 |
| 11:55 | 5 | 5 | 22 |
| 12:00 | 5 | 5 | 43 |

Requests wait 5 s for a connection, then fail with 503. One pod fails its readiness probe and restarts.

## What to do

1. Roll checkout back to **2.14.0**.
2. Set \`pool.size: 50\` in the new configuration, and deploy 2.14.1 again.`;

export const SUMMARY =
  'checkout 2.14.1, deployed at 11:52, runs with **5** database connections where it had 50. 6.1 % of its requests fail. Roll back to 2.14.0.';

export const ANSWER =
  'No. At 11:50 nothing waited for a connection (19 of 50 in use). At 11:55 the pool had 5 connections and **22** requests waited, so the first failures are from between 11:52 and 11:55.';

/**
 * Thresholds of the project and their sources. Those of the statistics are beside their formulas in
 * bench/judge/stats/.
 */

// ---------------------------------------------------------------- verdicts

/** δ: differences below 3 % are irrelevant in practice and do not persist on another machine (docs/statistics.md). */
export const MARGIN = 0.03
/**
 * Probability that at least one interval of a family is wrong, for the contrasts of a run or the comparison of two
 * runs: the usual value.
 */
export const FAMILY_ERROR = 0.05
/** Level of a single interval: an arm's throughput, the noise floor. */
export const LEVEL = 1 - FAMILY_ERROR
/**
 * Probability of a false alarm about drift within starts, for each contrast. Smaller than FAMILY_ERROR, because a false
 * alarm makes a contrast of a good run inconclusive.
 */
export const DRIFT_ERROR = 0.01
/** Half-width from which on a ratio counts as known. A contrast with a verdict is measured until its ratio is known. */
export const RATIO_KNOWN = 0.1
/**
 * A precision that takes more than four hours is reported as unattainable, because the machine changes in that time.
 */
export const MAX_BUDGET_SECONDS = 4 * 3600
/**
 * Largest change between two runs that counts as none, because machines change by that much from one day to the next.
 */
export const COMPARISON_MARGIN = 0.05
/** Least share of its rate by hand that an engine must reach through the suite. */
export const BY_HAND_LEAST = 0.98
/** Factor within which a published ratio is reproduced, because hardware and versions differ (docs/statistics.md). */
export const CLAIM_TOLERANCE = 1.1

// ---------------------------------------------------------------- validity of a trial

/** Errors per response above which a trial is invalid: one in a thousand, an operator's p99.9. */
export const ERROR_SHARE_LIMIT = 0.001
/** Share of the clients that may hang or have no connection: a single one of a hundred proves nothing. */
export const CLIENT_SHARE_LIMIT = 0.01
/** Share of the served side's CPU time that idle arms may use. More would slow down the measured arm. */
export const IDLE_SHARE_LIMIT = 0.03
/** An arm with at least this many trials, more than INVALID_SHARE_LIMIT of them invalid, is invalid as a whole. */
export const JUDGED_FROM_TRIALS = 6
export const INVALID_SHARE_LIMIT = 0.5

/**
 * Largest send lag at the 99th percentile, in ms, because timing below a few milliseconds is unreliable on a machine
 * with other work. A share applies to long latencies, up to LAG_LIMIT_MOST_MS, because a generator that reads responses
 * late causes latency of its own.
 */
export const LAG_LIMIT_MS = 5
export const LAG_LIMIT_SHARE = 0.1
export const LAG_LIMIT_MOST_MS = 10

/**
 * Suspension in seconds from which on a trial is disturbed. The boot clock has a resolution of 0.01 s; apart from that,
 * it differs from the monotonic clock only by the time of a suspension.
 */
export const SUSPENDED_SECONDS = 0.1
/**
 * Pause of the suite in seconds from which on a trial is disturbed. Load delays the suite by some tenths of a second at
 * most, so it was stopped or its machine was.
 */
export const STILL_SECONDS = 1
/**
 * Step of the wall clock from which on a trial is disturbed, because nginx, Apache, wrk and others use that clock. A
 * smaller step changes the shortest slice (0.2 s) by less than MARGIN. Linux slews both clocks alike; another system
 * may let them drift apart by this share (500 ppm, adjtime(2)).
 */
export const STEPPED_SECONDS = 0.005
export const SLEW_SHARE = 0.0005

// ---------------------------------------------------------------- proof that an arm is what it claims

/**
 * Least connections per request where each request opens a connection. Requests in flight at the edges of a slice blur
 * the ratio.
 */
export const FRESH_CONNECTIONS_MIN = 0.9
/** Most connections per request with a pool, which replaces connections now and then. */
export const POOLED_CONNECTIONS_MAX = 0.05
/** Least share of cache hits: one request fills an expired entry. */
export const CACHE_HIT_RATIO_MIN = 0.99

// ---------------------------------------------------------------- bottleneck

/** Share of its cores from which on the generator limits the rate. */
export const LOAD_BOUND_SHARE = 0.9
/** Share of a link's rate from which on the link is saturated, because TCP needs the rest to detect saturation. */
export const LINK_BOUND_SHARE = 0.9
/** Share of its cores from which on the served side is the bottleneck. The kernel's own share is not counted. */
export const SERVED_BUSY_SHARE = 0.8
/** Share of its cores below which the served side waits for requests. */
export const SERVED_WAITING_SHARE = 0.5

// ---------------------------------------------------------------- speed of machines

/** Factors up to which the parts of two calibrations may differ on one machine: 5 %, or as much as repeated
 * calibrations need. Of 210 pairs of calibrations of one machine 99 % met all four (docs/method.md). */
export const CALIBRATION_BOUNDS = { arithmetic: 1.05, memory: 1.1, systemCalls: 1.05, roundTrips: 1.15 }

// ---------------------------------------------------------------- warnings

/** Share of all cores that other programs used before the run. Interleaving averages out less than that. */
export const BUSY_SHARE = 0.1
/** Limits where the use of cores is unknown: load average per core, and share of CPU time used by other guests. */
export const BUSY_LOAD_PER_CORE = 0.5
export const STEAL_SHARE = 0.02
/** Share of an arm's trials that may be invalid without a warning. */
export const INVALID_TRIALS = 0.1
/** Lag-1 autocorrelation above which blocks are reported as autocorrelated (docs/method.md). */
export const LAG1 = 0.15
/** Connections that keep a slow app busy: more than the load generator needs to send the next request in time. */
export const FEW_CONNECTIONS = 10

// ---------------------------------------------------------------- sizing

/** Share of the capacity kept free for unusual days. */
export const HEADROOM = 0.4
/** Instances beyond those that the load needs, so that losing one still meets the goal. */
export const SPARE = 1
/** Share of the windows that hold the goal at the capacity. */
export const CONFIDENCE = 0.95
/** Share of requests on a new connection, where the instance ends TLS. */
export const NEW_CONNECTIONS = 0.1
/** MiB added to each process of an example for the drivers and agents of a real app, whose own memory is measured. */
export const EXAMPLE_EXTRA_MIB = 128

/** Requests a second from which a sizing is about a fleet. */
export const FLEET_RATE = 100_000

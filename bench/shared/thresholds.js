/**
 * Every threshold of the project, and where it comes from. Those of the statistics themselves stand beside their
 * formulas in analysis/stats/.
 */

// ---------------------------------------------------------------- verdicts

/**
 * δ: differences below 3 % decide nothing in practice and do not survive a move to another machine
 * (docs/statistics.md).
 */
export const MARGIN = 0.03
/** Probability of a wrong interval in a whole family, of contrasts or of what two runs are compared in: the usual. */
export const FAMILY_ERROR = 0.05
/** Level of an interval that stands alone: an arm's throughput, the noise floor. */
export const LEVEL = 1 - FAMILY_ERROR
/** A ratio counts as known from this half-width on: a verdict that stands is measured until its size is known, too. */
export const RATIO_KNOWN = 0.1
/** What would take a run of more than four hours is called not attainable: by then it is another machine. */
export const LONGEST_BUDGET_SECONDS = 4 * 3600
/** Between two runs, what counts as no change: machines change by that much from one day to the next. */
export const COMPARISON_MARGIN = 0.05
/** Engines that differ by less than this agree: a closed loop's rate moves by some percent from window to window. */
export const ENGINE_AGREEMENT = 0.05
/** What an engine makes through the suite, of what it makes by hand, from which on the suite costs next to nothing. */
export const BY_HAND_LEAST = 0.98
/** A published ratio counts as met within this factor: other hardware, other versions (docs/statistics.md). */
export const CLAIM_TOLERANCE = 1.1

// ---------------------------------------------------------------- validity of a trial

/** Errors per answer above which a trial is invalid: one in a thousand, the p99.9 of an operator. */
export const ERROR_SHARE_LIMIT = 0.001
/**
 * Share of the served side's CPU time that idle arms may take: one whose programs are awake takes it from the one
 * measured.
 */
export const IDLE_SHARE_LIMIT = 0.03
/** An arm of this many trials, more than INVALID_SHARE_LIMIT of them invalid, is invalid as a whole. */
export const JUDGED_FROM_TRIALS = 6
export const INVALID_SHARE_LIMIT = 0.5

/**
 * How late a request may leave at the 99th percentile, in ms: nothing lasts below a few milliseconds on a machine with
 * other work. Of a long latency a share does not matter, but no more than LAG_LIMIT_MOST_MS: a generator that cannot
 * read its answers makes latencies of its own, and would excuse itself by them.
 */
export const LAG_LIMIT_MS = 5
export const LAG_LIMIT_SHARE = 0.1
export const LAG_LIMIT_MOST_MS = 10

/**
 * A trial is disturbed when the machine was suspended in it for longer than this, in seconds. The boot clock is shown
 * in hundredths, and beyond that the two clocks differ by nothing but the time of a suspension.
 */
export const SUSPENDED_SECONDS = 0.1
/**
 * A suite that did not run for so long was stopped, or its machine was: no load delays it by more than some tenths of a
 * second.
 */
export const STILL_SECONDS = 1
/**
 * nginx, Apache, wrk and others use the wall clock: set by less than this, it changes the shortest slice (0.2 s) by
 * less than MARGIN. Linux steers the wall clock and the monotonic one alike; another system may let them part by so
 * much a second (500 ppm, adjtime(2)).
 */
export const STEPPED_SECONDS = 0.005
export const SLEW_SHARE = 0.0005

// ---------------------------------------------------------------- proof that an arm is what it claims

/** A new connection for every request opens one; answers in flight at the edges of a slice blur it. */
export const FRESH_CONNECTIONS_MIN = 0.9
/** Pooled connections are opened once and replaced now and then. */
export const POOLED_CONNECTIONS_MAX = 0.05
/** A cache answers all but the one request that fills an expired entry. */
export const CACHE_HIT_RATIO_MIN = 0.99

// ---------------------------------------------------------------- who was the bottleneck

/** A generator that uses this share of its cores sends what it can, not what the topology can take. */
export const LOAD_BOUND_SHARE = 0.9
/** A link that is used to this share carries no more: the rest is what TCP needs to see that it is full. */
export const LINK_BOUND_SHARE = 0.9
/** A served side that uses this share of what it may use is the bottleneck; the kernel's own share goes uncounted. */
export const SERVED_BUSY_SHARE = 0.8
/** A served side that uses less than this waits for requests. */
export const SERVED_WAITING_SHARE = 0.5

// ---------------------------------------------------------------- warnings

/** Of all cores' time, taken by other programs before the run: what interleaving can still average out. */
export const BUSY_SHARE = 0.1
/** Where that is not known, the load average for each core; and the share of CPU time that other guests may take. */
export const BUSY_LOAD_PER_CORE = 0.5
export const STEAL_SHARE = 0.02
/** Share of an arm's trials that may be invalid without a warning. */
export const INVALID_TRIALS = 0.1
/** Lag-1 autocorrelation above which blocks are warned of as autocorrelated (docs/method.md). */
export const LAG1 = 0.15

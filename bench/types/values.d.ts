/** Texts and numbers with the constraints of stored files. */

/**
 * Text in one line, without control characters and without those that change the direction of text.
 * @pattern ^[^\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$
 */
export type Line = string
/** A Line that is not blank. @pattern ^(?=\s*\S)[^\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$ */
export type Phrase = string
/** Name of a plug-in or an option. @pattern ^[a-z][a-z0-9_-]*$ */
export type Identifier = string
/** @pattern ^[A-Za-z0-9][\w-]*$ */
export type ExperimentName = string
/** Folder of a run: UTC time and experiment. @pattern ^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-[\w-]{1,60}(\.\d{1,6})?$ */
export type RunName = string
/**
 * A Phrase, other than . and ..
 * @pattern ^(?!\.{1,2}$)(?=\s*\S)[^\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$
 */
export type ArmName = string
/** Path of a URL, or of a file. @pattern ^/[^\u0000-\u001f\u007f]*$ */
export type AbsolutePath = string
/** @pattern ^https?://[^\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$ */
export type WebAddress = string
/** @pattern ^[A-Za-z0-9!#$%&'*+.^_`|~-]+$ */
export type HeaderName = string
/** @pattern ^[^\u0000-\u001f\u007f]*$ */
export type HeaderValue = string
export type Headers = Record<HeaderName, HeaderValue>
/**
 * UTC, ISO 8601.
 * @pattern ^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?Z$
 */
export type UtcTime = string
/** @pattern ^\d{4}-\d\d-\d\d$ */
export type Day = string
/** @pattern ^[0-9a-f]{40,64}$ */
export type CommitHash = string

/** @asType integer */
export type Integer = number
/** @asType integer @minimum 0 */
export type Count = number
/** @asType integer @minimum 1 */
export type PositiveInteger = number
/** @minimum 0 */
export type NonNegative = number
/** @exclusiveMinimum 0 */
export type Positive = number
/** @minimum 0 @maximum 1 */
export type Share = number
// NaN and Infinity are null in a file.
/** @minimum 0 @nullable */
export type Estimate = number

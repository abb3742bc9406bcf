/** What grouping says of an event. The algorithm itself is one file per version: `group-v1.ts`. */

/** One way to look at the event; the first hash that is already owned decides the issue. */
export interface GroupingHash {
  readonly variant: string
  /** 32 lowercase hex digits. */
  readonly hash: string
}

export interface Grouping {
  readonly algorithm: 'g1'
  /** Which way through the algorithm was taken: `exception-stack`, `message`, `fingerprint`, … */
  readonly path: string
  /** At least one; the first is the event's `fingerprint` column. */
  readonly hashes: readonly [GroupingHash, ...GroupingHash[]]
  readonly title: string
  readonly culprit: string
  /** Type of the main exception, else empty. */
  readonly exceptionType: string
  /** Made on demand, since most events meet an issue that is explained already. */
  explain(): GroupingExplanation
  /** What floods of new issues are counted by: the type of the error, or how its message begins. */
  kind(): string
  /** The grouping to fall back on in a flood. */
  coarsen(): Grouping
}

/** Why events are in one issue: stored once per hash, written for people. Holds only what was hashed, never variable values. */
export interface GroupingExplanation {
  readonly algorithm: 'g1'
  readonly path: string
  /** One or two sentences. */
  readonly summary: string
  readonly variants: readonly ExplainedVariant[]
  /** Kinds of variable parts that were replaced in messages. */
  readonly replaced: readonly { readonly kind: string; readonly count: number }[]
  readonly rules: readonly string[]
  readonly notes: readonly string[]
}

export interface ExplainedVariant {
  readonly name: string
  readonly hash: string
  /** At most 40. */
  readonly pieces: readonly (readonly [kind: string, value: string])[]
  /** At most 20. */
  readonly skipped: readonly { readonly what: string; readonly why: string }[]
}

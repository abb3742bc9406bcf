/** The result of grouping an event. Each version of the algorithm is one file: `group-v1.ts`. */

/** A hash of one variant; the first hash that an issue already owns decides. */
export interface GroupingHash {
  readonly variant: string
  /** 32 lowercase hex digits. */
  readonly hash: string
}

export interface Grouping {
  readonly algorithm: 'g1'
  /** Path of the algorithm: `exception-stack`, `message`, `fingerprint`, … */
  readonly path: string
  /** At least one; the first is the event's `fingerprint` column. */
  readonly hashes: readonly [GroupingHash, ...GroupingHash[]]
  readonly title: string
  readonly culprit: string
  /** Type of the main exception, else empty. */
  readonly exceptionType: string
  /** Computed on demand, because most events belong to an issue that is explained already. */
  explain(): GroupingExplanation
  /**
   * The kind by which bursts of new issues are counted: the type, or the beginning of the message.
   */
  kind(): string
  /** The coarser grouping used during a burst. */
  coarsen(): Grouping
}

/** Why events are in one issue, for people. Stored once per hash; contains only what was hashed. */
export interface GroupingExplanation {
  readonly algorithm: 'g1'
  readonly path: string
  /** One or two sentences. */
  readonly summary: string
  /** What would have made another issue. Explanations stored by earlier versions have none. */
  readonly otherwise: string
  readonly variants: readonly ExplainedVariant[]
  /** Kinds of variable parts that were replaced in messages. */
  readonly replaced: readonly { readonly kind: string; readonly count: number }[]
  readonly rules: readonly string[]
  readonly notes: readonly string[]
}

export interface ExplainedVariant {
  readonly name: string
  readonly hash: string
  /** In the order of their weight; at most 40, where the last stands for all further ones. */
  readonly pieces: readonly (readonly [kind: string, value: string])[]
  /** At most 20. */
  readonly skipped: readonly { readonly what: string; readonly why: string }[]
}

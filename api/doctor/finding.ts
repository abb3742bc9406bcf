/** What a check of the doctor found. */
export type Status = 'ok' | 'warning' | 'problem' | 'skipped'

export interface Finding {
  /** Group and subject, such as `postgres.version`. */
  readonly check: string
  readonly status: Status
  /** One sentence. It holds no secret. */
  readonly found: string
  /** What to do; warnings and problems have it. */
  readonly advice?: string
}

/** The findings of one subject: `of('postgres').ok('version', '…')`. */
export function of(group: string) {
  const make = (status: Status) => (name: string, found: string, advice?: string) => ({
    check: `${group}.${name}`,
    status,
    found,
    ...(advice === undefined ? {} : { advice }),
  })
  return {
    ok: (name: string, found: string): Finding => make('ok')(name, found),
    skipped: (name: string, found: string): Finding => make('skipped')(name, found),
    warning: (name: string, found: string, advice: string): Finding =>
      make('warning')(name, found, advice),
    problem: (name: string, found: string, advice: string): Finding =>
      make('problem')(name, found, advice),
  }
}

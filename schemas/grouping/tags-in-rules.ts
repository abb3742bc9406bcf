/** Which tags fingerprint rules read: in matchers, in the fingerprint and in the title. */
import { type FingerprintPart, parseFingerprintRules } from './parse-fingerprint-rules.ts'

export interface TagInRule {
  /** From 1. */
  readonly line: number
  readonly key: string
}

/** Each tag once a line. Stack-trace rules cannot read tags. */
export function tagsInRules(fingerprintRules: string): readonly TagInRule[] {
  return parseFingerprintRules(fingerprintRules).rules.flatMap(
    ({ line, matchers, parts, title = [] }) => {
      const matched = matchers.flatMap(({ subject }) =>
        subject.kind === 'tag' ? [subject.key] : [],
      )
      const keys = new Set([...matched, ...[...parts, ...title].flatMap(tagOfPart)])
      return [...keys].map((key) => ({ line, key }))
    },
  )
}

const prefix = 'tags.'

function tagOfPart(part: FingerprintPart): readonly string[] {
  return part.kind === 'variable' && part.name.startsWith(prefix)
    ? [part.name.slice(prefix.length)]
    : []
}

/** What a browser says of a blocked resource (Content Security Policy Level 3, "Reporting"). */

import type { CanonicalEvent } from '../canonical-event.ts'
import type { SecurityReport } from '../event.ts'
import { smallBounds } from '../field-limits.ts'
import { boundObject } from '../values/bound-value.ts'
import type { Notes } from '../values/notes.ts'
import { readObject, readText } from '../values/read-value.ts'

export interface ReadSecurityReport {
  readonly typed: SecurityReport | undefined
  readonly canonical: CanonicalEvent['csp']
}

export function normalizeSecurityReport(sent: unknown, notes: Notes): ReadSecurityReport {
  const report = readObject(sent)
  if (report === undefined) return { typed: undefined, canonical: undefined }
  // Browsers write dashes, servers that relay the report write underscores.
  const text = (...names: readonly string[]) =>
    readText(
      names.map((name) => report[name]).find((value) => value !== undefined),
      {
        field: `csp.${names[0]}`,
        charactersMax: 2048,
        notes,
      },
    )
  const effective = text('effective_directive', 'effective-directive', 'effectiveDirective')
  const violated = text('violated_directive', 'violated-directive', 'violatedDirective')
  const directive = (effective || violated).split(/\s/, 1)[0]?.toLowerCase() ?? ''
  const canonical = boundObject(report, smallBounds, { field: 'csp', notes })
  if (directive === '') {
    notes.add('csp', 'must name a directive')
    return { typed: undefined, canonical }
  }
  return {
    typed: {
      directive,
      blockedHost: blockedHost(text('blocked_uri', 'blocked-uri', 'blockedURL')),
    },
    canonical,
  }
}

/** The host of a URL; else the word that stands for the source (`inline`, `eval`, `data`, `self`, …). */
function blockedHost(uri: string): string {
  if (uri === '') return 'self'
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(uri)?.[1]
  const word = host ?? uri.replace(/^'(.*)'$/, '$1').split(/[:/?#]/, 1)[0] ?? ''
  return word.toLowerCase().slice(0, 256)
}

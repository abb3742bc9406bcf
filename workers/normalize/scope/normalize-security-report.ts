/** A browser's report about a blocked resource (Content Security Policy Level 3, "Reporting"). */
import type { Draft } from '../draft.ts'
import { smallBounds } from '../field-limits.ts'
import { boundObject } from '../values/bound-value.ts'
import { readObject, readText } from '../values/read-value.ts'

export function normalizeSecurityReport({ sent, notes, event, stored }: Draft): void {
  const report = readObject(sent.csp)
  if (report === undefined) return
  // Browsers write dashes; servers that relay the report write underscores.
  const text = (...names: readonly string[]) =>
    readText(
      names.map((name) => report[name]).find((value) => value !== undefined),
      { field: `csp.${names[0]}`, charactersMax: 2048, notes },
    )
  const effective = text('effective_directive', 'effective-directive', 'effectiveDirective')
  const violated = text('violated_directive', 'violated-directive', 'violatedDirective')
  const directive = (effective || violated).split(/\s/, 1)[0]?.toLowerCase() ?? ''
  stored.csp = boundObject(report, smallBounds, { field: 'csp', notes })
  if (directive === '') {
    notes.add('csp', 'must name a directive')
    return
  }
  event.securityReport = {
    directive,
    blockedHost: blockedHost(text('blocked_uri', 'blocked-uri', 'blockedURL')),
  }
}

/** The host of a URL, or the keyword for the source (`inline`, `eval`, `data`, `self`, …). */
function blockedHost(uri: string): string {
  if (uri === '') return 'self'
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(uri)?.[1]
  const word = host ?? uri.replace(/^'(.*)'$/, '$1').split(/[:/?#]/, 1)[0] ?? ''
  return word.toLowerCase().slice(0, 256)
}

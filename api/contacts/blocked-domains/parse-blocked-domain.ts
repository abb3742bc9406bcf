import { parseDomainName } from '#schemas/domain-name.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import { isPublicSuffix } from '../../sending-domains/public-suffix.ts'

/** An entry of the list. One that would block everybody's addresses at once is taken only from somebody who means it. */
export function parseBlockedDomain(entry: { domain: string; confirmed: boolean }): string {
  const typed = entry.domain.trim().replace(/^@/, '')
  const parsed = parseDomainName(typed)
  if (parsed.kind === 'invalid') throw invalidField('domain', parsed.rule)
  const { domain } = parsed
  if (isPublicSuffix(domain) && !entry.confirmed) {
    throw invalidField(
      'domain',
      `must not be a public suffix: ${domain} holds the domains of many owners (send confirmed: true if you mean it)`,
    )
  }
  return domain
}

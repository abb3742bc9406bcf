/**
 * Recipients of alert emails: people and teams of the organization, and addresses at domains that
 * it has verified for sending, such as a mailing list. Any other address could be used to send
 * emails to strangers, who never agreed to get them.
 */
import { type AlertRecipient, parseAlertRecipient } from '#schemas/alerts/alert-recipient.ts'
import type { Database } from '../../database.ts'
import { findRecipients, type KnownRecipients } from './recipient-store.ts'

/** The form in which a recipient is stored. */
export function storedRecipient(text: string): string {
  const recipient = parseAlertRecipient(text)
  switch (recipient.kind) {
    case 'team':
      return `team:${recipient.slug}`
    case 'person':
      return recipient.id
    case 'address':
      return recipient.email
    default:
      return text
  }
}

export interface RecipientProblem {
  readonly recipient: string
  /** Why it must not be added; continues the name of the field. */
  readonly refused: string | undefined
  /** What is wrong with one that is stored; continues the name of the field. */
  readonly warning: string
}

/** The recipients among `texts` that reach nobody. */
export async function judgeRecipients(
  pg: Database,
  { organizationId, texts }: { organizationId: string; texts: readonly string[] },
): Promise<readonly RecipientProblem[]> {
  if (texts.length === 0) return []
  const parsed = [...new Set(texts)].map((text) => [text, parseAlertRecipient(text)] as const)
  const all = parsed.map(([, recipient]) => recipient)
  const known = await findRecipients(pg, {
    organizationId,
    personIds: all.flatMap((one) => (one.kind === 'person' ? one.id : [])),
    emails: all.flatMap((one) => (one.kind === 'address' ? one.key : [])),
    teams: all.flatMap((one) => (one.kind === 'team' ? one.slug : [])),
    domains: all.flatMap((one) => (one.kind === 'address' ? one.domain : [])),
  })
  return parsed.flatMap(([recipient, one]) => problemOf(recipient, one, known) ?? [])
}

function problemOf(
  recipient: string,
  parsed: AlertRecipient,
  known: KnownRecipients,
): RecipientProblem | undefined {
  switch (parsed.kind) {
    case 'assignee':
      return undefined
    case 'owners':
      if (known.hasOwners) return undefined
      return { recipient, refused: undefined, warning: 'reaches nobody: there are no owners' }
    case 'team': {
      const members = known.teams.get(parsed.slug)
      if (members === undefined) {
        return {
          recipient,
          refused: 'must name a team of the organization',
          warning: 'reaches nobody: the team does not exist any more',
        }
      }
      if (members > 0) return undefined
      return { recipient, refused: undefined, warning: 'reaches nobody: the team has no members' }
    }
    case 'person':
      if (known.people.has(parsed.id)) return undefined
      return {
        recipient,
        refused: 'must be the id of a person of the organization',
        warning: 'reaches nobody: the person does not belong to the organization any more',
      }
    case 'address':
      if (known.people.has(parsed.key) || known.domains.has(parsed.domain)) return undefined
      return {
        recipient,
        refused:
          'must be the address of a person of the organization, or at a sending domain that it has verified',
        warning:
          'reaches nobody: the address belongs to no person of the organization, and its domain is not verified for sending',
      }
    case 'invalid':
      return { recipient, refused: parsed.rule, warning: parsed.rule }
  }
}

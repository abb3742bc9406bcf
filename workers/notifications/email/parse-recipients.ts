/** The recipients of a target by their kind, for one query. */
import { parseAlertRecipient } from '#schemas/alerts/alert-recipient.ts'

export interface ParsedRecipients {
  readonly owners: boolean
  readonly assignee: boolean
  readonly teams: readonly string[]
  readonly personIds: readonly string[]
  /** Keys of addresses: in lower case. */
  readonly emails: readonly string[]
}

/** Invalid recipients are left out. */
export function parseRecipients(to: readonly string[]): ParsedRecipients {
  const all = to.map(parseAlertRecipient)
  const emails = all.flatMap((one) => (one.kind === 'address' ? one.key : []))
  return {
    owners: all.some(({ kind }) => kind === 'owners'),
    assignee: all.some(({ kind }) => kind === 'assignee'),
    teams: all.flatMap((one) => (one.kind === 'team' ? one.slug : [])),
    personIds: all.flatMap((one) => (one.kind === 'person' ? one.id : [])),
    emails: [...new Set(emails)],
  }
}

export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1)
}

/** Recipients as rules name them: `owners`, `assignee`, `team:<slug>`, an id, or an address. */
import { parseEmailAddress } from '#schemas/email-address.ts'

export interface ParsedRecipients {
  readonly owners: boolean
  readonly assignee: boolean
  readonly teams: readonly string[]
  readonly personIds: readonly string[]
  /** Keys of addresses: in lower case. */
  readonly emails: readonly string[]
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const teamPrefix = 'team:'

/** Recipients that are none of these are left out. */
export function parseRecipients(to: readonly string[]): ParsedRecipients {
  return {
    owners: to.includes('owners'),
    assignee: to.includes('assignee'),
    teams: to.flatMap((one) =>
      one.startsWith(teamPrefix) ? one.slice(teamPrefix.length).toLowerCase() : [],
    ),
    personIds: to.filter((one) => uuid.test(one)),
    emails: [
      ...new Set(
        to.flatMap((one) => {
          if (!one.includes('@')) return []
          const parsed = parseEmailAddress(one)
          return parsed.kind === 'address' ? parsed.key : []
        }),
      ),
    ],
  }
}

export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1)
}

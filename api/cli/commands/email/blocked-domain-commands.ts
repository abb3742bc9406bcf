/** `blocked-domain`: domains whose addresses cannot sign up. */
import { commandLineActor } from '../../../audit/audit-store.ts'
import { blockDomain } from '../../../contacts/blocked-domains/block-domain.ts'
import { listBlockedDomains } from '../../../contacts/blocked-domains/blocked-domain-store.ts'
import { unblockDomain } from '../../../contacts/blocked-domains/unblock-domain.ts'
import type { VerbPlan } from '../../command.ts'

export const blockedDomainVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listBlockedDomains',
    summary: 'List blocked domains',
    run: async ({ session, organization }) => {
      const rows = await listBlockedDomains(session.pg, await organization())
      return rows.map(({ domain, created_at }) => ({
        domain,
        created_at: created_at.toISOString(),
      }))
    },
  },
  {
    verb: 'create',
    aliases: ['add'],
    operation: 'createBlockedDomain',
    summary: 'Block a domain and its subdomains for signups',
    operand: 'domain',
    flags: { '--confirm': 'block a public suffix such as co.uk, too' },
    run: async ({ session, flags, organization }) => {
      const actor = commandLineActor(await organization())
      const input = { domain: String(flags.domain), confirmed: flags.confirm === true }
      const { added, entry } = await blockDomain(session, actor, input)
      return { domain: entry.domain, added }
    },
  },
  {
    verb: 'delete',
    aliases: ['remove'],
    operation: 'deleteBlockedDomain',
    summary: 'Delete a blocked domain: its addresses can sign up again',
    operand: 'domain',
    run: async ({ session, flags, organization }) => {
      const actor = commandLineActor(await organization())
      const { domain } = await unblockDomain(session, actor, { domain: String(flags.domain) })
      return { domain, removed: true }
    },
  },
]

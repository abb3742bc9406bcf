/** `domain`: sending domains, and domains that the operator allows without a check of their DNS. */
import { createDnsResolver } from '#platform/dns-resolver.ts'
import { NewSendingDomain, type SendingDomain } from '#schemas/rest/email/sending-domain.ts'
import { LiftReason } from '#schemas/rest/email/suppression.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import { allowDomain } from '../../../sending-domains/allow-domain.ts'
import { checkSendingDomain } from '../../../sending-domains/check-sending-domain.ts'
import { createSendingDomain } from '../../../sending-domains/create-sending-domain.ts'
import { deleteSendingDomain } from '../../../sending-domains/delete-sending-domain.ts'
import { disallowDomain } from '../../../sending-domains/disallow-domain.ts'
import {
  domainsMax,
  listAllowedFromDomains,
  listSendingDomains,
} from '../../../sending-domains/sending-domain-store.ts'
import { sendingDomainView } from '../../../sending-domains/sending-domain-view.ts'
import { check } from '../../check.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { nameFlags } from '../../name-flags.ts'
import { sessionWith } from '../../session.ts'
import { UsageError } from '../../usage-error.ts'

const fieldFlags = { bounceDomain: '--bounce-domain' }

export const domainVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listSendingDomains',
    summary: 'List sending domains',
    run: async ({ session, organization }) => {
      const organizationId = await organization()
      const rows = await listSendingDomains(session.pg, { organizationId, rowsMax: domainsMax })
      return rows.map((row) => {
        const view = sendingDomainView(row, session.mailSpf)
        const { domain, state, stateReason, bounceDomain, selector, ready, checkedAt } = view
        return { domain, state, stateReason, bounceDomain, selector, ready, checkedAt }
      })
    },
  },
  {
    verb: 'create',
    aliases: ['add'],
    operation: 'createSendingDomain',
    summary: 'Create a sending domain with a DKIM key; prints its DNS records',
    operand: 'domain',
    flags: {
      '--bounce-domain <domain>': 'the domain of envelope senders; bounces.<domain> by default',
      '--selector <selector>': 'the selector of the DKIM record; sluice by default',
    },
    run: async (run) => {
      const { session, flags } = run
      const selector = check(NewSendingDomain.shape.selector, '--selector', flags.selector)
      const input = { domain: String(flags.domain), bounceDomain: flags.bounceDomain, selector }
      const actor = commandLineActor(await run.organization())
      const ctx = sessionWith(session, { box: await session.box() })
      const created = await nameFlags(fieldFlags, () => createSendingDomain(ctx, actor, input))
      return printed(run, created)
    },
  },
  {
    verb: 'show',
    operation: 'getSendingDomain',
    summary: 'Show a sending domain with its DNS records',
    operand: 'domain',
    run: async (run) => {
      const { stored } = await namedDomain(run)
      return printed(run, sendingDomainView(stored, run.session.mailSpf))
    },
  },
  {
    verb: 'check',
    operation: 'checkSendingDomain',
    summary: 'Check the DNS records of a sending domain',
    operand: 'domain',
    run: async (run) => {
      const { actor, stored } = await namedDomain(run)
      const resolver = createDnsResolver(run.session.dnsServers)
      const ctx = sessionWith(run.session, { resolver })
      return printed(run, await checkSendingDomain(ctx, actor, { id: stored.id }))
    },
  },
  {
    verb: 'delete',
    aliases: ['remove'],
    operation: 'deleteSendingDomain',
    summary: 'Delete a sending domain and its DKIM key; its emails are no longer signed',
    operand: 'domain',
    run: async (run) => {
      const { actor, stored } = await namedDomain(run)
      const { id, domain } = await deleteSendingDomain(run.session, actor, { id: stored.id })
      return { id, domain, removed: true }
    },
  },
  {
    verb: 'allow',
    summary: 'Allow From addresses of a domain without checking its DNS',
    operand: 'domain',
    flags: { '--reason <reason>': 'why, for the audit log' },
    run: async (run) => {
      const reason = check(LiftReason.nullish(), '--reason', run.flags.reason) ?? null
      const actor = commandLineActor(await run.organization())
      const input = { domain: String(run.flags.domain), reason }
      return { domain: await allowDomain(run.session, actor, input), allowed: true }
    },
  },
  {
    verb: 'disallow',
    summary: 'Undo `domain allow`',
    operand: 'domain',
    run: async (run) => {
      const actor = commandLineActor(await run.organization())
      const input = { domain: String(run.flags.domain) }
      return { domain: await disallowDomain(run.session, actor, input), allowed: false }
    },
  },
  {
    verb: 'allowed',
    summary: 'List domains that are allowed without a check of their DNS',
    run: async (run) => {
      const organizationId = await run.organization()
      const wanted = { organizationId, rowsMax: domainsMax }
      const rows = await listAllowedFromDomains(run.session.pg, wanted)
      return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))
    },
  },
]

async function namedDomain({ session, flags, organization }: Run) {
  const name = String(flags.domain)
  const actor = commandLineActor(await organization())
  const wanted = { organizationId: actor.organizationId, rowsMax: domainsMax }
  const rows = await listSendingDomains(session.pg, wanted)
  const stored = rows.find(({ id, domain }) => id === name || domain === name.toLowerCase())
  if (stored !== undefined) return { actor, stored }
  throw new UsageError(`No sending domain is called ${name}: see \`domain list\`.`)
}

function printed({ flags }: Run, view: SendingDomain) {
  return flags.json ? { ...view } : recordRows(view)
}

function recordRows({ records, checks }: SendingDomain) {
  return records.map(({ use, type, name, value }) => {
    const seen = checks?.find((check) => check.use === use)
    return { type, name, value, state: seen?.state ?? null, hint: seen?.hint ?? null }
  })
}

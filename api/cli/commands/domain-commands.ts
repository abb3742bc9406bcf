/** `domain`: domains that letters are sent from. */
import { createDnsResolver } from '#platform/dns-resolver.ts'
import { NewSendingDomain, type SendingDomain } from '#schemas/rest/email/sending-domain.ts'
import { LiftReason } from '#schemas/rest/email/suppression.ts'
import { commandLineActor } from '../../audit/audit-store.ts'
import { allowDomain, disallowDomain } from '../../sending-domains/allow-domain.ts'
import {
  addDomain,
  checkStoredDomain,
  domainItem,
  domainsMax,
  removeDomain,
} from '../../sending-domains/change-domain.ts'
import {
  listAllowedFromDomains,
  listSendingDomains,
  type StoredSendingDomain,
} from '../../sending-domains/sending-domain-store.ts'
import { check } from '../check.ts'
import type { Run, VerbPlan } from '../command.ts'
import { UsageError } from '../usage-error.ts'

export const domainVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    summary: 'List sending domains',
    run: async (run) => {
      const { organizationId, mailSpf } = await placeOf(run)
      const rows = await listSendingDomains(run.session.pg, { organizationId, rowsMax: domainsMax })
      return rows.map((row) => {
        const { domain, state, stateReason, bounceDomain, selector, ready, checkedAt } = domainItem(
          row,
          mailSpf,
        )
        return { domain, state, stateReason, bounceDomain, selector, ready, checkedAt }
      })
    },
  },
  {
    verb: 'add',
    summary: 'Add a sending domain with a DKIM key of its own; prints the DNS records to paste',
    operand: 'domain',
    flags: {
      '--bounce-domain <domain>': 'of envelope senders, when not bounces.<domain>',
      '--selector <selector>': 'of the DKIM record, when not sluice',
    },
    run: async (run) => {
      const { organizationId, mailSpf } = await placeOf(run)
      const { domain, bounceDomain, selector } = run.flags
      const given = check(NewSendingDomain.shape.selector, '--selector', selector)
      const { pg, box } = run.session
      const wanted = { domain: String(domain), bounceDomain, selector: given }
      const place = { pg, box: await box(), mailSpf }
      const added = await addDomain(place, commandLineActor(organizationId), wanted)
      return run.flags.json ? { ...added } : recordRows(added)
    },
  },
  {
    verb: 'check',
    summary: 'Check the DNS records of a sending domain',
    operand: 'domain',
    run: async (run) => {
      const { organizationId, mailSpf } = await placeOf(run)
      const { id } = await namedDomain(run, organizationId)
      const { pg, clock } = run.session
      const checked = await checkStoredDomain(
        { pg, resolver: createDnsResolver(), mailSpf },
        commandLineActor(organizationId),
        { id, now: new Date(clock.nowMs()) },
      )
      return run.flags.json ? { ...checked } : recordRows(checked)
    },
  },
  {
    verb: 'remove',
    summary: 'Remove a sending domain and its key; its emails are no longer signed',
    operand: 'domain',
    run: async (run) => {
      const { organizationId } = await placeOf(run)
      const { id, domain } = await namedDomain(run, organizationId)
      await removeDomain(run.session.pg, commandLineActor(organizationId), id)
      return { id, domain, removed: true }
    },
  },
  {
    verb: 'allow',
    summary: 'Allow From addresses of a domain without checking its DNS',
    operand: 'domain',
    flags: { '--reason <reason>': 'why, for the audit log' },
    run: async (run) => {
      const organizationId = await run.organization()
      const reason = check(LiftReason.nullish(), '--reason', run.flags.reason) ?? null
      const actor = commandLineActor(organizationId)
      const domain = await allowDomain(run.session.pg, actor, {
        domain: String(run.flags.domain),
        reason,
      })
      return { domain, allowed: true }
    },
  },
  {
    verb: 'disallow',
    summary: 'Undo `domain allow`',
    operand: 'domain',
    run: async (run) => {
      const actor = commandLineActor(await run.organization())
      const domain = await disallowDomain(run.session.pg, actor, String(run.flags.domain))
      return { domain, allowed: false }
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

async function placeOf({ session, organization }: Run) {
  return { organizationId: await organization(), mailSpf: session.mailSpf }
}

async function namedDomain(
  { session, flags }: Run,
  organizationId: string,
): Promise<StoredSendingDomain> {
  const name = String(flags.domain)
  const rows = await listSendingDomains(session.pg, { organizationId, rowsMax: domainsMax })
  const named = rows.find(({ id, domain }) => id === name || domain === name.toLowerCase())
  if (named !== undefined) return named
  throw new UsageError(`No sending domain is called ${name}: see \`domain list\`.`)
}

function recordRows({ records, checks }: SendingDomain) {
  return records.map(({ use, type, name, value }) => {
    const seen = checks?.find((check) => check.use === use)
    return { type, name, value, state: seen?.state ?? null, hint: seen?.hint ?? null }
  })
}

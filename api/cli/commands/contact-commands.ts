/** `contact` and `blocked-domain`: who reads a newsletter, brought in and taken out; whose addresses may not sign up. */
import { parseDomainName } from '#schemas/domain-name.ts'
import { parseEmailAddress } from '#schemas/email-address.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { ContactStatus } from '#schemas/rest/email/contact.ts'
import { ImportFormat, ImportStatus } from '#schemas/rest/email/contact-import.ts'
import { SearchText } from '#schemas/rest/page.ts'
import { addAudit } from '../../audit/audit-store.ts'
import { lockAddress } from '../../contacts/address-store.ts'
import { blockedDomainsMax } from '../../contacts/blocked-domains/blocked-domain-routes.ts'
import {
  addBlockedDomain,
  deleteBlockedDomain,
  listBlockedDomains,
} from '../../contacts/blocked-domains/blocked-domain-store.ts'
import { parseBlockedDomain } from '../../contacts/blocked-domains/parse-blocked-domain.ts'
import { listContacts } from '../../contacts/contact-lists.ts'
import { contactView } from '../../contacts/contact-view.ts'
import { exportContacts } from '../../contacts/export-contacts.ts'
import { eraseContact } from '../../contacts/person-data-store.ts'
import { findNewsletter } from '../../newsletters/newsletter-store.ts'
import { check } from '../check.ts'
import type { Run, VerbPlan } from '../command.ts'
import { checkExportFile, forceFlag, writeExportFile } from '../export-file.ts'
import { UsageError } from '../usage-error.ts'
import { withActor } from '../with-actor.ts'
import { importContacts, unknownNewsletter } from './import-contacts.ts'

const contactsShownMax = 100

export const contactVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    summary: 'List contacts, newest first, at most 100',
    flags: {
      '--newsletter <slug>': 'of this newsletter only',
      '--status <status>': ContactStatus.options.join(', '),
      '--search <text>': 'a part of the address or the name',
    },
    run: async (run) => {
      const rows = await listContacts(run.session.pg, await filterOf(run), {
        beforeId: undefined,
        rowsMax: contactsShownMax,
      })
      return rows.map((row) => ({ ...contactView(row), attribs: JSON.stringify(row.attribs) }))
    },
  },
  {
    verb: 'import',
    summary: 'Import contacts from a CSV or JSON file; who left, bounced or complained stays so',
    operand: 'file',
    flags: {
      '--newsletter <slug>': 'where they are read into!',
      '--dry-run': 'check and count everything, write nothing',
      '--mapping <json>':
        'which column is what: {"email":"E-Mail","name":"Name","attribs":{"city":"City"}}',
      '--format <format>': `the service that wrote the file: ${ImportFormat.options.join(', ')}`,
      '--ignore-column <names>':
        'columns that look like an opt-out and are to be ignored, separated by commas',
      '--status <status>': `what contacts are of whom the file says nothing else: ${ImportStatus.options.join(', ')}`,
      '--update-existing': 'take name and attributes for contacts that are there',
    },
    run: importContacts,
  },
  {
    verb: 'export',
    summary: 'Write contacts to a CSV file, which import reads again',
    operand: 'file',
    flags: {
      '--newsletter <slug>': 'of this newsletter only',
      '--status <status>': ContactStatus.options.join(', '),
      ...forceFlag,
    },
    run: async (run) => {
      const file = { path: String(run.flags.file), force: run.flags.force }
      await checkExportFile(file)
      const filter = await filterOf(run)
      await withActor(run, (client, actor) =>
        addAudit(client, actor, {
          ...{ action: 'contact.exported', subjectType: 'newsletter' },
          details: { newsletter: run.flags.newsletter ?? null },
        }),
      )
      return writeExportFile(file, exportContacts(run.session.pg, filter))
    },
  },
  {
    verb: 'erase',
    summary: 'Erase a person from the whole organization; of a suppressed address a hash stays',
    operand: 'email',
    run: async (run) =>
      withActor(run, async (client, actor) => {
        const parsed = parseEmailAddress(String(run.flags.email))
        if (parsed.kind === 'invalid') throw new UsageError(`The address ${parsed.rule}.`)
        const { organizationId } = actor
        const address = await lockAddress(client, { organizationId, key: parsed.key })
        if (address === undefined) throw new UsageError('Nothing is stored of this address.')
        await eraseContact(client, { organizationId, addressId: address.id })
        await addAudit(client, actor, {
          ...{ action: 'contact.erased', subjectType: 'address', subjectId: address.id },
        })
        return { id: address.id, erased: true }
      }),
  },
]

export const blockedDomainVerbs: readonly VerbPlan[] = [
  {
    verb: 'add',
    summary: 'Block a domain and all below it for signups',
    operand: 'domain',
    flags: { '--confirm': 'also a public suffix such as co.uk' },
    run: async (run) => {
      const typed = { domain: String(run.flags.domain), confirmed: run.flags.confirm === true }
      const domain = asUsageError(() => parseBlockedDomain(typed))
      const now = new Date(run.session.clock.nowMs())
      return withActor(run, async (client, actor) => {
        const { organizationId } = actor
        const added = await addBlockedDomain(client, { organizationId, domain, now })
        if (added === 'added') {
          await addAudit(client, actor, {
            ...{ action: 'blocked_domain.added', subjectType: 'blocked_domain', subjectId: domain },
          })
        }
        return { domain, added: added === 'added' }
      })
    },
  },
  {
    verb: 'list',
    summary: 'List the blocked domains',
    run: async ({ session, organization }) => {
      const organizationId = await organization()
      const rows = await listBlockedDomains(session.pg, {
        organizationId,
        rowsMax: blockedDomainsMax,
      })
      return rows.map(({ domain, created_at }) => ({
        domain,
        created_at: created_at.toISOString(),
      }))
    },
  },
  {
    verb: 'remove',
    summary: 'Let a domain sign up again',
    operand: 'domain',
    run: async (run) =>
      withActor(run, async (client, actor) => {
        const parsed = parseDomainName(String(run.flags.domain))
        const domain = parsed.kind === 'domain' ? parsed.domain : ''
        const { organizationId } = actor
        if (!(await deleteBlockedDomain(client, { organizationId, domain }))) {
          throw new UsageError(`${run.flags.domain} is not blocked: see \`blocked-domain list\`.`)
        }
        await addAudit(client, actor, {
          ...{ action: 'blocked_domain.removed', subjectType: 'blocked_domain', subjectId: domain },
        })
        return { domain, removed: true }
      }),
  },
]

async function filterOf({ session, flags, organization }: Run) {
  const organizationId = await organization()
  const newsletter =
    flags.newsletter === undefined
      ? undefined
      : await findNewsletter(session.pg, { organizationId, slug: flags.newsletter })
  if (flags.newsletter !== undefined && newsletter === undefined)
    throw unknownNewsletter(flags.newsletter)
  return {
    organizationId,
    newsletterId: newsletter?.id,
    status: flags.status === undefined ? undefined : check(ContactStatus, '--status', flags.status),
    query: flags.search === undefined ? undefined : check(SearchText, '--search', flags.search),
  }
}

/** The same checks as of the routes; a person at a command line gets the sentence. */
function asUsageError<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof CodedError) throw new UsageError(cause.message, { cause })
    throw cause
  }
}

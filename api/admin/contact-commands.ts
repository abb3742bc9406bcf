/** `contact` and `blocked-domain`: who reads a newsletter, brought in and taken out; whose addresses may not sign up. */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { z } from 'zod'
import { parseDomainName } from '#schemas/domain-name.ts'
import { parseEmailAddress } from '#schemas/email-address.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { ContactStatus } from '#schemas/rest/contact.ts'
import { ImportMapping } from '#schemas/rest/contact-import.ts'
import { SearchText } from '#schemas/rest/page.ts'
import { blockedDomainsMax } from '../email/blocked-domains/blocked-domain-routes.ts'
import { parseBlockedDomain } from '../email/blocked-domains/parse-blocked-domain.ts'
import { contactView } from '../email/contacts/contact-view.ts'
import { exportContacts } from '../email/contacts/export-contacts.ts'
import { importFile } from '../email/imports/import-file.ts'
import { headerBytesMax, planColumns } from '../email/imports/plan-columns.ts'
import { lockAddress } from '../io/address-store.ts'
import { addAudit, commandLineActor } from '../io/audit-store.ts'
import {
  addBlockedDomain,
  deleteBlockedDomain,
  listBlockedDomains,
} from '../io/blocked-domain-store.ts'
import { listContacts } from '../io/contact-lists.ts'
import { findNewsletter } from '../io/newsletter-store.ts'
import { eraseReader } from '../io/reader-store.ts'
import { check } from './check.ts'
import type { Run, VerbPlan } from './command.ts'
import { checkExportFile, forceFlag, writeExportFile } from './export-file.ts'
import { Mistake } from './mistake.ts'
import { withActor } from './with-actor.ts'

const contactsShownMax = 100
const problemsToldMax = 20

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
    summary: 'Read contacts from a CSV file; who left, bounced or complained stays so',
    operand: 'file',
    flags: {
      '--newsletter <slug>': 'where they are read into!',
      '--dry-run': 'check and count everything, write nothing',
      '--mapping <json>':
        'which column is what: {"email":"E-Mail","name":"Name","attribs":{"city":"City"}}',
      '--status <status>': 'what new contacts are: subscribed (the default) or unsubscribed',
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
        if (parsed.kind === 'invalid') throw new Mistake(`The address ${parsed.rule}.`)
        const { organizationId } = actor
        const address = await lockAddress(client, { organizationId, key: parsed.key })
        if (address === undefined) throw new Mistake('Nothing is stored of this address.')
        await eraseReader(client, { organizationId, addressId: address.id })
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
      const domain = asMistake(() => parseBlockedDomain(typed))
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
          throw new Mistake(`${run.flags.domain} is not blocked: see \`blocked-domain list\`.`)
        }
        await addAudit(client, actor, {
          ...{ action: 'blocked_domain.removed', subjectType: 'blocked_domain', subjectId: domain },
        })
        return { domain, removed: true }
      }),
  },
]

async function importContacts(run: Run) {
  const { session, flags, say } = run
  const path = String(flags.file)
  const organizationId = await run.organization()
  const newsletter = await namedNewsletter(run, organizationId, String(flags.newsletter))
  const { start, bytes } = await beginningOf(path)
  const { plan, ignoredColumns } = asMistake(() => planColumns(start, mappingOf(flags.mapping)))
  const newStatus = check(
    z.enum(['subscribed', 'unsubscribed']),
    '--status',
    flags.status ?? 'subscribed',
  )
  const now = new Date(session.clock.nowMs())
  const dryRun = flags.dryRun === true
  if (ignoredColumns.length > 0)
    say(`Columns that mean nothing here: ${ignoredColumns.join(', ')}.\n`)
  const { problems, broken, ...counts } = await importFile(session.pg, createReadStream(path), {
    ...{ organizationId, newsletterId: newsletter.id, dryRun, now },
    plan: {
      ...plan,
      ...{ newStatus, updateExisting: flags.updateExisting === true },
      defaultSource: `import ${now.toISOString().slice(0, 10)}`,
    },
    progress: (done) =>
      say(`\r${Math.floor((100 * done.bytes) / bytes)} % · ${done.rows} rows`.padEnd(40)),
  })
  say('\n')
  if (!dryRun) {
    await addAudit(session.pg, commandLineActor(organizationId), {
      ...{ action: 'contact_import.started', subjectType: 'newsletter', subjectId: newsletter.id },
      details: { ...counts, file: path.split('/').at(-1) },
    })
  }
  if (broken !== undefined)
    throw new Mistake(`${broken} The rows before it are done: ${counts.rows}.`)
  const told = problems.map(({ line, field, rule }) => `line ${line}, ${field}: ${rule}`)
  return {
    ...{ newsletter: newsletter.slug, dry_run: dryRun, ...counts },
    problems: flags.json === true ? problems : told.slice(0, problemsToldMax),
  }
}

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

async function namedNewsletter({ session }: Run, organizationId: string, slug: string) {
  const newsletter = await findNewsletter(session.pg, { organizationId, slug })
  if (newsletter === undefined) throw unknownNewsletter(slug)
  return newsletter
}

function unknownNewsletter(slug: string): Mistake {
  return new Mistake(`No newsletter is called ${slug}: see \`newsletter list\`.`)
}

function mappingOf(text: string | undefined): ImportMapping {
  if (text === undefined) return {}
  try {
    return check(ImportMapping, '--mapping', JSON.parse(text))
  } catch (cause) {
    if (cause instanceof Mistake) throw cause
    throw new Mistake('--mapping must be JSON.', { cause })
  }
}

async function beginningOf(path: string): Promise<{ start: string; bytes: number }> {
  try {
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(headerBytesMax),
        0,
        headerBytesMax,
        0,
      )
      const { size } = await file.stat()
      return { start: buffer.toString('utf8', 0, bytesRead), bytes: Math.max(1, size) }
    } finally {
      await file.close()
    }
  } catch (cause) {
    throw new Mistake(`The file ${path} cannot be read.`, { cause })
  }
}

/** The same checks as of the routes; a person at a command line gets the sentence. */
function asMistake<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof CodedError) throw new Mistake(cause.message, { cause })
    throw cause
  }
}

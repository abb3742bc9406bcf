/** `contact`: the subscribers of newsletters. */
import { createLogger } from '#platform/logger.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { Attribs, ContactName, ContactSource, ContactStatus } from '#schemas/rest/email/contact.ts'
import { ImportFormat, ImportStatus } from '#schemas/rest/email/contact-import.ts'
import { SearchText } from '#schemas/rest/page.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import type { ChangedBy } from '../../../contacts/change-origin.ts'
import { listContacts } from '../../../contacts/contact-list-store.ts'
import { contactView } from '../../../contacts/contact-view.ts'
import { countContacts } from '../../../contacts/count-contacts.ts'
import { createContact } from '../../../contacts/create-contact.ts'
import { deleteContact } from '../../../contacts/delete-contact.ts'
import { listContactEmails } from '../../../contacts/emails/list-contact-emails.ts'
import { eraseContact } from '../../../contacts/erase-contact.ts'
import { exportContacts } from '../../../contacts/export-contacts.ts'
import { getContact } from '../../../contacts/get-contact.ts'
import { selectContacts } from '../../../contacts/select-contacts.ts'
import { unsubscribeContact } from '../../../contacts/unsubscribe-contact.ts'
import { updateContact } from '../../../contacts/update-contact.ts'
import { requireNewsletter } from '../../../newsletters/require-newsletter.ts'
import { check } from '../../check.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { checkExportFile, forceFlag, writeExportFile } from '../../files/export-file.ts'
import { readJsonFlag } from '../../json-flag.ts'
import { sessionWith } from '../../session.ts'
import { UsageError } from '../../usage-error.ts'
import { importContacts } from './import-contacts.ts'

const contactsShownMax = 100
/** Source of the events that these commands add to contacts. */
const by: ChangedBy = { name: 'admin', ip: null }
const statuses = ContactStatus.options.join(', ')
const valueFlags = {
  '--name <name>': 'name of the person; "" removes it',
  '--attribs <json>':
    'attributes that are merged into the stored ones: {"city":"Rome","plan":null}',
}

const verbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listContacts',
    summary: 'List contacts, newest first, at most 100',
    flags: {
      '--newsletter <slug>': 'only contacts of this newsletter',
      '--status <status>': statuses,
      '--search <text>': 'part of the address or the name',
    },
    run: async (run) => {
      const filter = await selectContacts(run.session, await run.organization(), selectionOf(run))
      const page = { beforeId: undefined, rowsMax: contactsShownMax }
      const rows = await listContacts(run.session.pg, filter, page)
      return rows.map((row) => ({ ...contactView(row), attribs: JSON.stringify(row.attribs) }))
    },
  },
  {
    verb: 'numbers',
    operation: 'getContactNumbers',
    summary: 'Count the contacts of a newsletter by status',
    flags: { '--newsletter <slug>': 'the newsletter!' },
    run: async ({ session, flags, organization }) => {
      const named = { organizationId: await organization(), slug: String(flags.newsletter) }
      const { id: newsletterId } = await requireNewsletter(session, named)
      return { ...(await countContacts(session, { newsletterId })).byStatus }
    },
  },
  {
    verb: 'show',
    operation: 'getContact',
    summary: 'Show a contact with its events',
    operand: 'id',
    run: async ({ session, flags, organization }) => {
      const organizationId = await organization()
      const contact = await getContact(session, { organizationId, contactId: String(flags.id) })
      if (flags.json === true) return contact
      const events = contact.events.map(({ at, kind, via }) => `${at} ${kind} (${via})`)
      return { ...contact, attribs: JSON.stringify(contact.attribs), events }
    },
  },
  {
    verb: 'emails',
    operation: 'listContactEmails',
    summary: 'List the emails to a contact, newest first, at most 100',
    operand: 'id',
    run: async ({ session, flags, organization }) => {
      const asked = { contactId: String(flags.id), limit: contactsShownMax }
      const { items } = await listContactEmails(
        session,
        { organizationId: await organization() },
        asked,
      )
      return items.map(({ contactId: _, bounce, ...email }) => ({
        ...email,
        bounce: bounce === null ? null : `${bounce.type} ${bounce.at}`,
      }))
    },
  },
  {
    verb: 'create',
    operation: 'createContact',
    summary: 'Create a contact; one that exists is changed as by another signup',
    operand: 'email',
    flags: {
      '--newsletter <slug>': 'the newsletter that gets the contact!',
      ...valueFlags,
      '--source <source>': 'where the contact comes from',
      '--confirmed': 'the person has agreed elsewhere: send no confirmation email',
    },
    run: async ({ session, flags, organization }) => {
      const input = {
        newsletter: String(flags.newsletter),
        email: String(flags.email),
        name: check(ContactName.nullish(), '--name', flags.name),
        attribs: attribsOf(flags),
        source: check(ContactSource.nullish(), '--source', flags.source),
        confirmed: flags.confirmed === true,
        by,
      }
      const log = createLogger('admin', 'silent')
      const ctx = sessionWith(session, { box: await session.box(), log })
      const actor = commandLineActor(await organization())
      const { created, contact } = await createContact(ctx, actor, input)
      return { ...contact, attribs: JSON.stringify(contact.attribs), created }
    },
  },
  {
    verb: 'update',
    operation: 'updateContact',
    summary: 'Update name and attributes of a contact',
    operand: 'id',
    flags: valueFlags,
    run: async ({ session, flags, organization }) => {
      const attribs = attribsOf(flags)
      const name = check(ContactName.nullish(), '--name', flags.name)
      // The action changes each field that is present, so a field without a flag must be absent.
      const change = {
        ...(flags.name === undefined ? {} : { name }),
        ...(attribs === undefined ? {} : { attribs }),
      }
      const actor = commandLineActor(await organization())
      const input = { contactId: String(flags.id), change, by }
      const contact = await updateContact(session, actor, input)
      return { ...contact, attribs: JSON.stringify(contact.attribs) }
    },
  },
  {
    verb: 'unsubscribe',
    operation: 'unsubscribeContact',
    summary: 'Unsubscribe a contact',
    operand: 'id',
    run: async ({ session, flags, organization }) => {
      const actor = commandLineActor(await organization())
      const input = { contactId: String(flags.id), by }
      const { id, email, status } = await unsubscribeContact(session, actor, input)
      return { id, email, status }
    },
  },
  {
    verb: 'delete',
    operation: 'deleteContact',
    summary: 'Delete a contact from its newsletter; a suppression of the address stays',
    operand: 'id',
    run: async ({ session, flags, organization }) => {
      const contactId = String(flags.id)
      await deleteContact(session, commandLineActor(await organization()), { contactId })
      return { id: contactId, deleted: true }
    },
  },
  {
    verb: 'import',
    operation: 'createContactImport',
    summary: 'Import contacts from a CSV or JSON file',
    operand: 'file',
    flags: {
      '--newsletter <slug>': 'the newsletter that gets the contacts!',
      '--dry-run': 'check the file, count the changes and change nothing',
      '--mapping <json>':
        'meaning of columns: {"email":"E-Mail","name":"Name","attribs":{"city":"City"}}',
      '--format <format>': `the service that wrote the file: ${ImportFormat.options.join(', ')}`,
      '--ignore-column <names>':
        'columns to ignore although they look like an opt-out, separated by commas',
      '--status <status>': `status of contacts for which the file has none: ${ImportStatus.options.join(', ')}`,
      '--update-existing': 'replace name and attributes of existing contacts',
    },
    run: importContacts,
  },
  {
    verb: 'export',
    operation: 'exportContacts',
    summary: 'Export contacts to a CSV file, which import reads again',
    operand: 'file',
    flags: {
      '--newsletter <slug>': 'only contacts of this newsletter',
      '--status <status>': statuses,
      ...forceFlag,
    },
    run: async (run) => {
      const file = { path: String(run.flags.file), force: run.flags.force }
      await checkExportFile(file)
      const actor = commandLineActor(await run.organization())
      return writeExportFile(file, await exportContacts(run.session, actor, selectionOf(run)))
    },
  },
  {
    verb: 'erase',
    operation: 'eraseContact',
    summary: 'Erase a person from the organization; of a suppressed address a hash stays',
    operand: 'email',
    run: async ({ session, flags, organization }) => {
      const actor = commandLineActor(await organization())
      const { id } = await eraseContact(session, actor, { email: String(flags.email) })
      return { id, erased: true }
    },
  },
]

export const contactVerbs: readonly VerbPlan[] = verbs.map((plan) => ({
  ...plan,
  run: async (run) => plan.run(run).catch((error: unknown) => Promise.reject(named(error, run))),
}))

/** Replaces the errors of the API that do not repeat what the caller named. */
function named(error: unknown, { flags: { newsletter, id } }: Run): unknown {
  if (!(error instanceof CodedError)) return error
  const options = { cause: error }
  if (error.code === 'newsletter_not_found') {
    return new UsageError(
      `No newsletter has the slug ${newsletter}: see \`newsletter list\`.`,
      options,
    )
  }
  if (error.code === 'not_found' && id !== undefined) {
    return new UsageError(`No contact has the id ${id}: see \`contact list\`.`, options)
  }
  return error
}

function selectionOf({ flags }: Run) {
  const { newsletter, status, search } = flags
  return {
    newsletter,
    status: status === undefined ? undefined : check(ContactStatus, '--status', status),
    query: search === undefined ? undefined : check(SearchText, '--search', search),
  }
}

function attribsOf({ attribs: text }: Run['flags']): Attribs | undefined {
  if (text === undefined) return undefined
  return check(Attribs, '--attribs', readJsonFlag('--attribs', text))
}

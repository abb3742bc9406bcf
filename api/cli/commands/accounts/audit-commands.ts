/** `audit-log`: who changed what. */
import { FilterText } from '#schemas/rest/page.ts'
import { listAudit } from '../../../audit/audit-store.ts'
import { check } from '../../check.ts'
import type { VerbPlan } from '../../command.ts'

const entriesShownMax = 100

export const auditVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listAuditEntries',
    summary: 'List the audit log, newest first, at most 100 entries',
    flags: {
      '--action <action>': 'only entries of this action, as in newsletter.created',
      '--id <id>': 'only entries about the thing with this id',
    },
    run: async ({ session, flags, organization }) => {
      const entries = await listAudit(session.pg, {
        organizationId: await organization(),
        action: check(FilterText.optional(), '--action', flags.action),
        subjectId: check(FilterText.optional(), '--id', flags.id),
        personId: undefined,
        after: undefined,
        limit: entriesShownMax,
      })
      return entries.slice(0, entriesShownMax).map((entry) => ({
        at: entry.at,
        actor: entry.actor,
        via: entry.via,
        action: entry.action,
        subject_type: entry.subject_type,
        subject_id: entry.subject_id,
        details: flags.json === true ? entry.details : JSON.stringify(entry.details),
      }))
    },
  },
]

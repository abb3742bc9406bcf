import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { Database } from '../../database.ts'

/**
 * Records that an import begins, with the same details whether its file was uploaded or read here.
 */
export function auditImportStart(
  pg: Database,
  actor: Actor,
  started: {
    readonly subject: { readonly subjectType: string; readonly subjectId: string }
    /** Slug. */
    readonly newsletter: string
    readonly dryRun: boolean
    readonly format: string
    /** Name of the file; null when it is not known. */
    readonly file: string | null
  },
): Promise<void> {
  const { subject, ...details } = started
  return addAudit(pg, actor, { action: 'contact_import.started', ...subject, details })
}

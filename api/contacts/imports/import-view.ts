import type { ImportItem } from '#schemas/rest/email/contact-import.ts'
import type { Database } from '../../database.ts'
import { found } from '../../http/route.ts'
import { findImport, type StoredImport } from './contact-import-store.ts'

/** Reads an import as the API replies it, or throws `not_found`. */
export async function readImport(
  pg: Database,
  asked: { readonly organizationId: string; readonly id: string },
): Promise<ImportItem> {
  return importView(found(await findImport(pg, asked)))
}

export function importView(stored: StoredImport): ImportItem {
  const { fileBytes, bytesDone } = stored
  const share = fileBytes === 0 ? 1 : Math.min(1, bytesDone / fileBytes)
  return {
    id: stored.id,
    newsletter: stored.newsletter,
    fileName: stored.plan.fileName ?? null,
    state: stored.state,
    dryRun: stored.dryRun,
    progress: Math.round(share * 1000) / 1000,
    rows: stored.rowsDone,
    created: stored.created,
    updated: stored.updated,
    unchanged: stored.unchanged,
    refused: stored.refused,
    skipped: stored.skipped,
    suppressed: stored.suppressed,
    warned: stored.warned,
    format: stored.plan.format,
    encoding: stored.plan.encoding,
    ignoredColumns: stored.plan.ignoredColumns,
    reason: stored.reason,
    createdBy: stored.createdBy,
    createdAt: stored.createdAt.toISOString(),
    finishedAt: stored.finishedAt?.toISOString() ?? null,
  }
}

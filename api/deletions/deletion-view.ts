import type { DeletionItem } from '#schemas/rest/deletion.ts'
import type { StoredDeletion } from './deletion-store.ts'

export function deletionView(deletion: StoredDeletion): DeletionItem {
  return {
    id: deletion.id,
    kind: deletion.kind,
    state: deletion.state,
    project_ids: deletion.project_ids,
    subject_hash: deletion.subject_hash?.toString('hex') ?? null,
    requested_by: deletion.requested_by,
    requested_via: deletion.requested_via,
    requested_at: deletion.requested_at.toISOString(),
    waits_until: deletion.waits_until.toISOString(),
    finished_at: deletion.finished_at?.toISOString() ?? null,
    rows: deletion.counts,
    remaining: deletion.remaining,
  }
}

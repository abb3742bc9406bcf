import type { Commit } from '#schemas/rest/releases/commit.ts'
import { shortened } from '#schemas/stored-text.ts'
import type { StoredCommit } from './commit-store.ts'

const subjectCharactersMax = 200

export function commitItem(row: StoredCommit): Commit {
  return {
    id: row.commit_id,
    subject: subjectOf(row.message),
    author_name: row.author_name || null,
    author_email: row.author_email || null,
    person:
      row.person_id === null
        ? null
        : { id: row.person_id, name: row.person_name, email: row.person_email ?? '' },
    repository: row.repository || null,
    timestamp: row.committed_at?.toISOString() ?? null,
    file_count: row.file_count,
  }
}

/** The first line that is not empty. */
function subjectOf(message: string): string {
  const line = message.trim().split(/[\r\n]/, 1)[0] ?? ''
  return shortened(line, subjectCharactersMax)
}

/**
 * Erases a person from payloads that are stored as bytes: dead letters, and files of contacts that
 * wait for their import.
 */
import type { Pool } from '#platform/postgres.ts'
import {
  erasedText,
  eraseInText,
  personPatterns,
  spellingsOf,
} from '#platform/text/person-pattern.ts'
import type { PersonSubject } from '#schemas/stored-data/person-subject.ts'
import { numbersOf, organizationOf } from '#schemas/stored-data/scope.ts'
import { addCount } from './deletion-row-store.ts'
import type { Erasure } from './erase-rows-store.ts'

/** A payload has up to 1 MiB. */
const rowsPerBatch = 20

/**
 * Also those of messages that are no frames: they belong to no project, so nobody can tell whose
 * data they hold.
 */
export async function eraseDeadLetters(pg: Pool, erasure: Erasure): Promise<void> {
  const { scope, subject } = erasure
  const ofScope = `(project_id = any(${numbersOf(scope)}) or project_id is null)`
  let after = 0
  while (true) {
    erasure.throwIfDraining()
    const { rows } = await pg.query<{ id: number; bytes: Buffer }>(
      `select id, bytes from dead_letters where id > $1 and ${ofScope} order by id limit ${rowsPerBatch}`,
      [after],
    )
    for (const { id, bytes } of rows) {
      const erased = eraseInBytes(bytes, subject)
      if (erased === undefined) continue
      await changeCounted(pg, erasure, {
        table: 'dead_letters',
        sql: 'update dead_letters set bytes = $2 where id = $1',
        values: [id, erased],
      })
    }
    after = rows.at(-1)?.id ?? after
    if (rows.length < rowsPerBatch) break
  }
  if (subject.address === undefined) return
  await changeCounted(pg, erasure, {
    table: 'dead_letters',
    sql: `update dead_letters set address = null where host(address) = $1 and ${ofScope}`,
    values: [subject.address],
  })
}

export async function eraseImportFiles(pg: Pool, erasure: Erasure): Promise<void> {
  const { scope, subject } = erasure
  const { rows } = await pg.query<{ import_id: string; chunk_no: number }>(
    `select import_id, chunk_no from contact_import_chunks
     where import_id in (select id from contact_imports where organization_id = ${organizationOf(scope)})
     order by import_id, chunk_no`,
  )
  for (const { import_id: importId, chunk_no: chunkNo } of rows) {
    erasure.throwIfDraining()
    const place = [importId, chunkNo]
    const found = await pg.query<{ bytes: Buffer }>(
      'select bytes from contact_import_chunks where import_id = $1 and chunk_no = $2',
      place,
    )
    const bytes = found.rows[0]?.bytes
    const erased = bytes && eraseInBytes(bytes, subject)
    if (erased === undefined) continue
    await changeCounted(pg, erasure, {
      table: 'contact_import_chunks',
      sql: 'update contact_import_chunks set bytes = $3 where import_id = $1 and chunk_no = $2',
      values: [...place, erased],
    })
  }
}

/** Undefined when the bytes do not name the person. */
export function eraseInBytes(bytes: Buffer, subject: PersonSubject): Buffer | undefined {
  // Bytes that are not UTF-8 stay as they are: each is one character of this encoding.
  const utf8 = bytes.toString('utf8')
  const encoding = Buffer.from(utf8, 'utf8').equals(bytes) ? 'utf8' : 'latin1'
  const text = encoding === 'utf8' ? utf8 : bytes.toString('latin1')
  const erased = eraseInText(eraseUser(text, subject), personPatterns(subject), 'json')
  return erased === text ? undefined : Buffer.from(erased, encoding)
}

/** Replaces the user of an event whose user is the person. */
function eraseUser(text: string, { email, user_id: userId }: PersonSubject): string {
  if (!text.startsWith('{')) return text
  try {
    const event = JSON.parse(text)
    const { id, email: userEmail } = Object(event.user)
    const isOwn =
      (userId !== undefined && id !== undefined && String(id) === userId) ||
      (email !== undefined && spellingsOf(email).includes(String(userEmail).trim().toLowerCase()))
    return isOwn ? JSON.stringify({ ...event, user: { id: erasedText } }) : text
  } catch {
    // A dead letter may hold anything. Its addresses are erased as in any text.
    return text
  }
}

async function changeCounted(
  pg: Pool,
  { deletionId }: Erasure,
  { table, sql, values }: { table: string; sql: string; values: unknown[] },
): Promise<void> {
  const { rowCount } = await pg.query(sql, values)
  await addCount(pg, deletionId, { table, rows: rowCount ?? 0 })
}

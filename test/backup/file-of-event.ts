/** An event with a file, in a project of its own, so that it changes no other count. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createLogger } from '#platform/logger.ts'
import { FolderStore } from '#platform/objects/folder-store.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import type { Stack } from '../../dev/stack.ts'
import { readFiles, type StoredFile } from '../faults/files/read-files.ts'
import { keepAttachments, makeOneProject } from '../faults/round-projects.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

export interface FileOfEvent {
  readonly projectId: string
  readonly dsnId: number
  readonly organizationId: string
  /** Without dashes. */
  readonly eventId: string
}

type Place = Pick<Stack, 'urls' | 'dataDir'>

/** Returns once the file is stored. */
export async function sendEventWithFile(stack: Place, content: string): Promise<FileOfEvent> {
  const eventId = randomUUID().replaceAll('-', '')
  return withPool(stack, async (pg) => {
    const limits = { monthlyEvents: null, issueEventsPerMinute: null }
    const project = await makeOneProject(pg, limits, 'Files')
    await keepAttachments(pg, project.id)
    const path = `/api/${project.dsnId}/envelope/?sentry_key=${project.publicKey}`
    const file = {
      ...{ projectId: project.id, dsnId: project.dsnId, eventId },
      organizationId: project.organizationId,
    }
    await waitUntil('the file is stored', async () => {
      // Ingest may not know yet that the project keeps files; an event is accepted once.
      await fetch(new URL(path, stack.urls.ingest), {
        method: 'POST',
        body: envelope(eventId, content),
      })
      return (await filesOf(pg, stack, file)).length > 0 ? true : undefined
    })
    return file
  })
}

function envelope(eventId: string, content: string): string {
  const event = JSON.stringify({ event_id: eventId, message: 'it broke', platform: 'node' })
  return [
    JSON.stringify({ event_id: eventId }),
    JSON.stringify({ type: 'event', length: Buffer.byteLength(event) }),
    event,
    JSON.stringify({
      ...{ type: 'attachment', length: Buffer.byteLength(content), filename: 'log.txt' },
    }),
    content,
    '',
  ].join('\n')
}

export function storedFilesOf(stack: Place, file: FileOfEvent): Promise<StoredFile[]> {
  return withPool(stack, (pg) => filesOf(pg, stack, file))
}

function filesOf(pg: Pool, { dataDir }: Place, { dsnId }: FileOfEvent): Promise<StoredFile[]> {
  return readFiles(pg, new FolderStore(join(dataDir, 'objects')), dsnId)
}

/** As a client of the API does. */
export async function downloadFile(stack: Place, file: FileOfEvent): Promise<string> {
  const token = await withPool(stack, (pg) => addToken(pg, file.organizationId))
  const headers = { 'x-api-key': token }
  const path = `/api/v1/projects/${file.projectId}/events/${file.eventId}/attachments`
  const list = await fetch(new URL(path, stack.urls.api), { headers })
  const { items } = (await list.json()) as { items: { id: string }[] }
  const reply = await fetch(new URL(`${path}/${items[0]?.id}`, stack.urls.api), { headers })
  return reply.text()
}

async function addToken(pg: Pool, organizationId: string): Promise<string> {
  const token = `oat_${randomBytes(32).toString('base64url')}`
  await pg.query(
    `insert into access_tokens (id, organization_id, label, prefix, token_hash, scopes)
     values (gen_random_uuid(), $1, 'files', $2, $3, array['issues:read'])`,
    [organizationId, token.slice(0, 10), createHash('sha256').update(token).digest()],
  )
  return token
}

async function withPool<Result>(
  { urls }: Place,
  work: (pg: Pool) => Promise<Result>,
): Promise<Result> {
  const pg = createPool(
    { url: urls.postgres, applicationName: 'test-files', connectionsMax: 1 },
    createLogger('files', 'silent'),
  )
  try {
    return await work(pg)
  } finally {
    await pg.end()
  }
}

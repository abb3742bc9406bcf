/** Stores an uploaded file as an import, which a periodic task runs: see import-task.ts. */
import type { Readable } from 'node:stream'
import { importBytesMax, type NewImport } from '#schemas/rest/email/contact-import.ts'
import type { Actor } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { requireNewsletter } from '../../newsletters/require-newsletter.ts'
import { addImport } from './contact-import-store.ts'
import { jsonAsCsv, jsonBytesMax } from './file/json-as-csv.ts'
import { chunksOf, readFile } from './file/read-file.ts'
import { headBytesMax } from './file/read-head.ts'
import { auditImportStart } from './import-audit.ts'
import { readImport } from './import-view.ts'
import { type ImportOptions, planImport } from './plan-import.ts'

export async function createImport(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  input: {
    readonly options: ImportOptions
    readonly body: Readable | undefined
    readonly isJson: boolean
    /** Shown in the list of imports. */
    readonly createdBy: string
  },
): Promise<NewImport> {
  const { organizationId } = actor
  const { options, createdBy } = input
  const { newsletter: slug, dryRun } = options
  const newsletter = await requireNewsletter(ctx, { organizationId, slug })
  const chunks = await readChunks(input)
  const now = new Date(ctx.clock.nowMs())
  const file = { open: () => chunks, start: chunks[0]!.subarray(0, headBytesMax) }
  const { plan, notes } = await planImport(file, options, now)
  const stored = { organizationId, newsletterId: newsletter.id, plan, dryRun, chunks, createdBy }
  const id = await ctx.pg.transaction(async (client) => {
    const added = await addImport(client, { ...stored, now })
    await auditImportStart(client, actor, {
      subject: { subjectType: 'contact_import', subjectId: added },
      newsletter: slug,
      dryRun,
      format: plan.format,
      file: options.fileName ?? null,
    })
    return added
  })
  return { ...(await readImport(ctx.pg, { organizationId, id })), notes: [...notes] }
}

async function readChunks({ body, isJson }: { body: Readable | undefined; isJson: boolean }) {
  const chunks = await readFile(body, isJson ? jsonBytesMax : importBytesMax)
  return isJson ? chunksOf(await jsonAsCsv(Buffer.concat(chunks))) : chunks
}

/** `idea` and `idea-tag`: what the team does with the ideas of a portal. */
import { readFile, stat } from 'node:fs/promises'
import { v7 as uuidv7 } from 'uuid'
import { MiB } from '#schemas/limits.ts'
import { IdeaStatus } from '#schemas/rest/portal/idea.ts'
import { AdminIdeaQuery, IdeaChange, IdeaMerge } from '#schemas/rest/portal/idea-admin.ts'
import { NewTag, tagsPerProjectMax } from '#schemas/rest/portal/tag-of-idea.ts'
import { addAudit, commandLineActor } from '../../audit/audit-store.ts'
import type { Database } from '../../database.ts'
import { changeIdea, removeIdea } from '../../ideas/change-idea.ts'
import { exportIdeas } from '../../ideas/files/export-ideas.ts'
import { badStatusMap, importDetails, importIdeas } from '../../ideas/files/import-ideas.ts'
import { parseStatusMap } from '../../ideas/files/status-names.ts'
import { findIdeaForTeam, listIdeasForTeam } from '../../ideas/idea-admin-store.ts'
import { type MergeOf, mergeIdea, unmergeIdea } from '../../ideas/merge-idea.ts'
import { addTag, listTagsOfProject } from '../../ideas/tag-of-idea-store.ts'
import { check } from '../check.ts'
import type { Run, VerbPlan } from '../command.ts'
import { checkExportFile, forceFlag, writeExportFile } from '../export-file.ts'
import { namedProject, projectFlag } from '../named-project.ts'
import type { Row } from '../print.ts'
import { UsageError } from '../usage-error.ts'
import { withActor } from '../with-actor.ts'

const ideasShownMax = 100
const fileBytesMax = 400 * MiB

export const ideaVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    summary: 'List the ideas of a portal, newest first, at most 100',
    flags: {
      ...projectFlag,
      '--status <status>': 'Open, Planned, Started, Completed, Declined or Duplicate',
      '--moderation <moderation>': 'published, pending or rejected',
      '--search <text>': 'words of title and description',
    },
    run: async (run) => {
      const { status, moderation, search } = run.flags
      const query = check(AdminIdeaQuery, 'flags', {
        ...(status !== undefined && { status: check(IdeaStatus, '--status', status) }),
        ...(moderation !== undefined && { moderation }),
        ...(search !== undefined && { search }),
        limit: ideasShownMax,
      })
      const { id: projectId } = await namedProject(run)
      const list = { ...query, projectId, after: undefined, language: 'simple' }
      const ideas = await listIdeasForTeam(run.session.pg, list)
      return ideas.slice(0, ideasShownMax).map(printed)
    },
  },
  {
    verb: 'change',
    summary: 'Change the status of an idea; a duplicate becomes an idea of its own',
    operand: 'id',
    flags: {
      ...projectFlag,
      '--status <status>': 'Open, Planned, Started, Completed or Declined!',
    },
    run: (run) => {
      const change = check(IdeaChange, '--status', { status: run.flags.status })
      return changed(run, 'idea.changed', (pg, idea) =>
        changeIdea(pg, { ...idea, change, signature: null }),
      )
    },
  },
  {
    verb: 'merge',
    summary: 'Merge an idea into the one that it duplicates',
    operand: 'id',
    flags: { ...projectFlag, '--into <idea>': 'the id of the idea that gets the votes!' },
    run: (run) => {
      const { into } = check(IdeaMerge, '--into', { into: run.flags.into })
      return changed(run, 'idea.merged', (pg, idea) => mergeIdea(pg, { ...idea, into }))
    },
  },
  {
    verb: 'unmerge',
    summary: 'Take a merge back',
    operand: 'id',
    flags: projectFlag,
    run: (run) => changed(run, 'idea.unmerged', unmergeIdea),
  },
  {
    verb: 'delete',
    summary: 'Delete an idea with its votes and comments',
    operand: 'id',
    flags: projectFlag,
    run: async (run) => {
      const idea = await namedIdea(run)
      await withActor(run, async (pg, actor) => {
        await removeIdea(pg, idea)
        await addAudit(pg, actor, {
          action: 'idea.deleted',
          subjectType: 'idea',
          subjectId: idea.ideaId,
        })
      })
      return { id: idea.ideaId, deleted: true }
    },
  },
  {
    verb: 'import',
    summary: 'Import ideas from a .csv or .json file of this product, Canny, Fider or UserVoice',
    flags: {
      ...projectFlag,
      '--file <path>': 'what to read!',
      '--dry-run': 'report what would be imported, and store nothing',
      '--create-tags': 'create the tags of the file that the portal does not have',
      '--status-map <pairs>': 'what names of statuses are here: In QA=Started,Shipped=Completed',
    },
    run: async (run) => {
      const path = run.flags.file ?? ''
      const { size } = await stat(path).catch(() => ({ size: undefined }))
      if (size === undefined) throw new UsageError(`${path} cannot be read.`)
      if (fileBytesMax < size)
        throw new UsageError(`${path} has more than ${fileBytesMax / MiB} MiB.`)
      const statuses = parseStatusMap(run.flags.statusMap ?? '')
      if (statuses === undefined) throw new UsageError(badStatusMap().message)
      const { id: projectId, organizationId } = await namedProject(run)
      const report = await importIdeas(run.session.pg, {
        projectId,
        text: await readFile(path, 'utf8'),
        format: path.endsWith('.json') ? 'json' : 'csv',
        now: new Date(run.session.clock.nowMs()),
        dryRun: run.flags.dryRun === true,
        createTags: run.flags.createTags === true,
        statuses,
      })
      if (!report.dry_run) {
        const details = importDetails(report)
        const entry = { action: 'ideas.imported', subjectType: 'project' } as const
        const actor = commandLineActor(organizationId)
        await addAudit(run.session.pg, actor, { ...entry, subjectId: projectId, details })
      }
      return { ...report }
    },
  },
  {
    verb: 'export',
    summary: 'Write all ideas into a file, .csv or .json',
    flags: { ...projectFlag, '--file <path>': 'what to write!', ...forceFlag },
    run: async (run) => {
      const path = run.flags.file ?? ''
      const file = { path, force: run.flags.force }
      await checkExportFile(file)
      const { id: projectId, organizationId } = await namedProject(run)
      const format = path.endsWith('.json') ? 'json' : 'csv'
      const written = await writeExportFile(
        file,
        exportIdeas(run.session.pg, { projectId, format }),
      )
      const entry = { action: 'ideas.exported', subjectType: 'project' } as const
      await addAudit(run.session.pg, commandLineActor(organizationId), {
        ...entry,
        subjectId: projectId,
      })
      return written
    },
  },
]

export const ideaTagVerbs: readonly VerbPlan[] = [
  {
    verb: 'create',
    summary: 'Make a tag of ideas',
    flags: {
      ...projectFlag,
      '--slug <slug>': 'how links name it!',
      '--name <name>': 'how it is shown!',
    },
    run: async (run) => {
      const { slug, name } = run.flags
      const tag = check(NewTag, '--slug and --name', { slug, name })
      const { id: projectId } = await namedProject(run)
      const made = await withActor(run, async (pg, actor) => {
        const added = await addTag(pg, { id: uuidv7(), projectId, ...tag })
        if (added === 'slug_taken') throw new UsageError('A tag of this slug is there already.')
        if (added === 'too_many') {
          throw new UsageError(`A portal has at most ${tagsPerProjectMax} tags.`)
        }
        await addAudit(pg, actor, {
          action: 'tag.created',
          subjectType: 'tag',
          subjectId: added.id,
        })
        return added
      })
      return { ...made }
    },
  },
  {
    verb: 'list',
    summary: 'List the tags of a portal',
    flags: projectFlag,
    run: async (run) => {
      const { id: projectId } = await namedProject(run)
      return (await listTagsOfProject(run.session.pg, projectId)).map((tag) => ({ ...tag }))
    },
  },
]

async function changed(
  run: Run,
  action: `idea.${string}`,
  work: (pg: Database, idea: MergeOf) => Promise<unknown>,
): Promise<Row> {
  const idea = await namedIdea(run)
  return withActor(run, async (pg, actor) => {
    await work(pg, idea)
    await addAudit(pg, actor, { action, subjectType: 'idea', subjectId: idea.ideaId })
    const after = await findIdeaForTeam(pg, idea)
    if (after === undefined) throw new UsageError(`No idea is called ${idea.ideaId}.`)
    return printed(after)
  })
}

async function namedIdea(run: Run): Promise<MergeOf> {
  const { id: projectId } = await namedProject(run)
  const ideaId = check(IdeaMerge.shape.into, 'id', run.flags.id)
  const found = await findIdeaForTeam(run.session.pg, { projectId, ideaId })
  if (found === undefined) throw new UsageError(`No idea of this project is called ${ideaId}.`)
  return { projectId, ideaId, actor: 'admin', now: new Date(run.session.clock.nowMs()) }
}

function printed({
  id,
  title,
  status,
  moderation,
  vote_count,
  comment_count,
  duplicate_of,
}: {
  id: string
  title: string
  status: string
  moderation: string
  vote_count: number
  comment_count: number
  duplicate_of: string | null
}): Row {
  return { id, title, status, moderation, vote_count, comment_count, duplicate_of }
}

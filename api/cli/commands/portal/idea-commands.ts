/** `idea`: ideas of a portal, for the team. */
import { IdeaStatus } from '#schemas/rest/portal/idea.ts'
import {
  type AdminIdea,
  AdminIdeaQuery,
  IdeaChange,
  IdeaMerge,
  NewTeamIdea,
} from '#schemas/rest/portal/idea-admin.ts'
import { found } from '../../../http/route.ts'
import { createIdea } from '../../../ideas/create-idea.ts'
import { deleteIdea } from '../../../ideas/delete-idea.ts'
import { findIdeaForTeam, listIdeasForTeam } from '../../../ideas/idea-admin-store.ts'
import { mergeIdea } from '../../../ideas/merge-idea.ts'
import { unmergeIdea } from '../../../ideas/unmerge-idea.ts'
import { updateIdea } from '../../../ideas/update-idea.ts'
import { check } from '../../check.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { projectFlag } from '../../named-project.ts'
import type { Row } from '../../print.ts'
import { idIn, orUnknown, projectAndActor } from '../project-actor.ts'
import { ideaFileVerbs } from './idea-file-commands.ts'
import { ideaVoteVerbs } from './idea-vote-commands.ts'

const ideasShownMax = 100

export const ideaVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listIdeas',
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
      const { projectId } = await projectAndActor(run)
      const list = { ...query, projectId, after: undefined, language: 'simple' }
      const ideas = await listIdeasForTeam(run.session.pg, list)
      return ideas.slice(0, ideasShownMax).map(printed)
    },
  },
  {
    verb: 'show',
    operation: 'getIdea',
    summary: 'Show an idea with its texts',
    operand: 'id',
    flags: projectFlag,
    run: async (run) => {
      const ideaId = idIn(run)
      const { projectId } = await projectAndActor(run)
      const find = async () => found(await findIdeaForTeam(run.session.pg, { projectId, ideaId }))
      const idea = await orUnknown(unknown(ideaId), find())
      const { description, response, created_at, updated_at } = idea
      const text = response?.body ?? null
      return { ...printed(idea), description, response: text, created_at, updated_at }
    },
  },
  {
    verb: 'create',
    operation: 'createIdea',
    summary: 'Create an idea of the team',
    flags: {
      ...projectFlag,
      '--title <text>': 'its title!',
      '--description <text>': 'its text!',
      '--status <status>': 'Open, Planned, Started, Completed or Declined; Open if omitted',
    },
    run: async (run) => {
      const { title, description, status } = run.flags
      const idea = check(NewTeamIdea, '--title, --description or --status', {
        title,
        description,
        ...(status !== undefined && { status }),
      })
      const { projectId, actor } = await projectAndActor(run)
      return printed(await createIdea(run.session, actor, { projectId, idea }))
    },
  },
  {
    verb: 'update',
    aliases: ['change'],
    operation: 'updateIdea',
    summary: 'Change the status of an idea; for a duplicate, this undoes its merge',
    operand: 'id',
    flags: {
      ...projectFlag,
      '--status <status>': 'Open, Planned, Started, Completed or Declined!',
    },
    run: async (run) => {
      const change = check(IdeaChange, '--status', { status: run.flags.status })
      return changed(run, ({ actor, ...idea }) =>
        updateIdea(run.session, actor, { ...idea, change, signature: null }),
      )
    },
  },
  {
    verb: 'merge',
    operation: 'mergeIdea',
    summary: 'Merge an idea into another one',
    operand: 'id',
    flags: { ...projectFlag, '--into <idea>': 'id of the idea that gets the votes!' },
    run: async (run) => {
      const { into } = check(IdeaMerge, '--into', { into: run.flags.into })
      return changed(run, ({ actor, ...idea }) => mergeIdea(run.session, actor, { ...idea, into }))
    },
  },
  {
    verb: 'unmerge',
    operation: 'unmergeIdea',
    summary: 'Undo a merge',
    operand: 'id',
    flags: projectFlag,
    run: (run) => changed(run, ({ actor, ...idea }) => unmergeIdea(run.session, actor, idea)),
  },
  {
    verb: 'delete',
    operation: 'deleteIdea',
    summary: 'Delete an idea with its votes and comments',
    operand: 'id',
    flags: projectFlag,
    run: async (run) => {
      const ideaId = idIn(run)
      const { projectId, actor } = await projectAndActor(run)
      await orUnknown(unknown(ideaId), deleteIdea(run.session, actor, { projectId, ideaId }))
      return { id: ideaId, deleted: true }
    },
  },
  ...ideaFileVerbs,
  ...ideaVoteVerbs,
]

type NamedIdea = Pick<Awaited<ReturnType<typeof projectAndActor>>, 'projectId' | 'actor'> & {
  readonly ideaId: string
}

async function changed(run: Run, change: (idea: NamedIdea) => Promise<AdminIdea>): Promise<Row> {
  const ideaId = idIn(run)
  const { projectId, actor } = await projectAndActor(run)
  return printed(await orUnknown(unknown(ideaId), change({ projectId, ideaId, actor })))
}

function unknown(id: string): string {
  return `No idea of this project is called ${id}: see \`idea list\`.`
}

function printed(idea: AdminIdea): Row {
  const { id, title, status, moderation, vote_count, comment_count, duplicate_of } = idea
  return { id, title, status, moderation, vote_count, comment_count, duplicate_of }
}

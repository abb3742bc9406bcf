/**
 * `idea vote`, `idea unvote`, `idea export-voters` and `idea comment`: votes and comments by the
 * team.
 */
import { CommentBody } from '#schemas/rest/portal/comment.ts'
import { VoteOnBehalf } from '#schemas/rest/portal/idea-admin.ts'
import { createTeamComment } from '../../../comments/create-team-comment.ts'
import { deleteVote } from '../../../ideas/votes/delete-vote.ts'
import { exportVoters } from '../../../ideas/votes/export-voters.ts'
import { voteOnBehalf } from '../../../ideas/votes/vote-on-behalf.ts'
import { check } from '../../check.ts'
import type { VerbPlan } from '../../command.ts'
import { checkExportFile, forceFlag, writeExportFile } from '../../files/export-file.ts'
import { projectFlag } from '../../named-project.ts'
import { idIn, orUnknown, projectAndActor } from '../project-actor.ts'

const userFlag = { '--user <id>': 'the id that the project gives the user!' }

export const ideaVoteVerbs: readonly VerbPlan[] = [
  {
    verb: 'vote',
    operation: 'voteOnBehalf',
    summary: 'Vote for an idea on behalf of a user',
    operand: 'id',
    flags: { ...projectFlag, ...userFlag, '--note <text>': 'why, for the team' },
    run: async (run) => {
      const { user, note } = run.flags
      const vote = check(VoteOnBehalf, '--user or --note', { enduser_id: user, note })
      const ideaId = idIn(run)
      const { projectId, actor } = await projectAndActor(run)
      const voted = voteOnBehalf(run.session, actor, { projectId, ideaId, vote })
      return { id: ideaId, result: await orUnknown(unknown(ideaId), voted) }
    },
  },
  {
    verb: 'unvote',
    operation: 'deleteVote',
    summary: 'Delete the vote of a user',
    operand: 'id',
    flags: { ...projectFlag, ...userFlag },
    run: async (run) => {
      const ideaId = idIn(run)
      const { projectId, actor } = await projectAndActor(run)
      const vote = { projectId, ideaId, enduserId: run.flags.user ?? '' }
      const sentence = `There is no idea ${ideaId}, or no user ${vote.enduserId}, in this project.`
      const result = await orUnknown(sentence, deleteVote(run.session, actor, vote))
      return { id: ideaId, result }
    },
  },
  {
    verb: 'export-voters',
    operation: 'exportVoters',
    summary: 'Export the voters of an idea to a .csv or .json file',
    operand: 'id',
    flags: { ...projectFlag, '--file <path>': 'the file to write!', ...forceFlag },
    run: async (run) => {
      const { file: path = '', force } = run.flags
      await checkExportFile({ path, force })
      const ideaId = idIn(run)
      const { projectId, actor } = await projectAndActor(run)
      const format = path.toLowerCase().endsWith('.json') ? 'json' : 'csv'
      const exported = exportVoters(run.session, actor, { projectId, ideaId, format })
      return writeExportFile({ path, force }, await orUnknown(unknown(ideaId), exported))
    },
  },
  {
    verb: 'comment',
    operation: 'createComment',
    summary: 'Comment on an idea as the team',
    operand: 'id',
    flags: { ...projectFlag, '--message <text>': 'text of the comment!' },
    run: async (run) => {
      const body = check(CommentBody, '--message', run.flags.message ?? '')
      const ideaId = idIn(run)
      const { projectId, actor } = await projectAndActor(run)
      const comment = { projectId, ideaId, parentId: null, body, signature: null }
      const created = createTeamComment(run.session, actor, comment)
      return { comment_id: await orUnknown(unknown(ideaId), created) }
    },
  },
]

function unknown(id: string): string {
  return `No idea of this project is called ${id}: see \`idea list\`.`
}

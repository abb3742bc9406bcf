/** `idea-tag`: tags of ideas. */
import { NewTag, TagChange } from '#schemas/rest/portal/tag-of-idea.ts'
import { listTagsOfProject } from '../../../ideas/tag-of-idea-store.ts'
import { createTag } from '../../../ideas/tags/create-tag.ts'
import { deleteTag } from '../../../ideas/tags/delete-tag.ts'
import { updateTag } from '../../../ideas/tags/update-tag.ts'
import { check } from '../../check.ts'
import type { VerbPlan } from '../../command.ts'
import { projectFlag } from '../../named-project.ts'
import { orUnknown, projectAndActor } from '../project-actor.ts'

export const ideaTagVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listIdeaTags',
    summary: 'List the tags of a portal',
    flags: projectFlag,
    run: async (run) => {
      const { projectId } = await projectAndActor(run)
      return (await listTagsOfProject(run.session.pg, projectId)).map((tag) => ({ ...tag }))
    },
  },
  {
    verb: 'create',
    operation: 'createIdeaTag',
    summary: 'Create a tag of ideas',
    flags: {
      ...projectFlag,
      '--slug <slug>': 'its name in links!',
      '--name <name>': 'its name for visitors!',
    },
    run: async (run) => {
      const { slug, name } = run.flags
      const tag = check(NewTag, '--slug and --name', { slug, name })
      const { projectId, actor } = await projectAndActor(run)
      return { ...(await createTag(run.session, actor, { projectId, tag })) }
    },
  },
  {
    verb: 'update',
    operation: 'updateIdeaTag',
    summary: 'Change the name of a tag',
    operand: 'slug',
    flags: { ...projectFlag, '--name <name>': 'its name for visitors!' },
    run: async (run) => {
      const { slug = '', name } = run.flags
      const change = check(TagChange, '--name', { name })
      const { projectId, actor } = await projectAndActor(run)
      const updated = updateTag(run.session, actor, { projectId, slug, change })
      return { ...(await orUnknown(unknown(slug), updated)) }
    },
  },
  {
    verb: 'delete',
    operation: 'deleteIdeaTag',
    summary: 'Delete a tag and remove it from all ideas',
    operand: 'slug',
    flags: projectFlag,
    run: async (run) => {
      const { slug = '' } = run.flags
      const { projectId, actor } = await projectAndActor(run)
      await orUnknown(unknown(slug), deleteTag(run.session, actor, { projectId, slug }))
      return { slug, deleted: true }
    },
  },
]

function unknown(slug: string): string {
  return `No tag of this project is called ${slug}: see \`idea-tag list\`.`
}

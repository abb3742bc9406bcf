import type { Run } from './command.ts'
import { chooseProject } from './session.ts'

export const projectFlag = {
  '--project <project>': 'its id, DSN number or name, when there are several',
}

/** The project that `--project` names, or the only one, with the id of its organization. */
export async function namedProject({ session, flags, organization }: Run) {
  const organizationId = await organization()
  const project = await chooseProject(session.pg, { organizationId, named: flags.project })
  return { ...project, organizationId }
}

/** Parts of the inputs of tools, and how the project and the issue that they name are found. */
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import { findIssueByNumber } from '../issues/issue-store.ts'
import { findProject, type StoredProject } from '../projects/project-store.ts'
import type { ToolCall } from './tool.ts'

/** Items of one page: enough to choose from, and little enough to read. */
const pageLimitMax = 25
const pageLimitDefault = 10

export const ProjectId = z
  .guid('must be the UUID of a project, as list_projects returns it')
  .toLowerCase()
  .describe('UUID of the project; list_projects lists them.')

export const pageInput = {
  limit: z.int().min(1).max(pageLimitMax).default(pageLimitDefault),
  cursor: z.string().min(1).max(1_000).optional().describe('next_cursor of the previous page.'),
} as const

const shortIdPattern = /^([A-Z0-9][A-Z0-9_-]{0,99})-([1-9]\d{0,8})$/i
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const issueRule = 'must be the UUID of an issue, or its short id such as SHOP-12'

export const IssueId = z
  .string()
  .max(120)
  .refine((text) => uuidPattern.test(text) || shortIdPattern.test(text), issueRule)
  .describe('UUID of the issue, or its short id such as SHOP-12.')

/** Throws `not_found` also for a project of another organization. */
export async function requireProject(
  { ctx, caller }: ToolCall,
  projectId: string,
): Promise<StoredProject> {
  const { organizationId } = caller
  const project = await findProject(ctx.pg, { id: projectId, organizationId })
  if (project !== undefined) return project
  throw new CodedError('not_found', {
    message: 'The organization has no project with this id. list_projects lists its projects.',
  })
}

/** The UUID of the issue. Whether it exists is not checked for a UUID. */
export async function issueIdOf(
  { ctx }: ToolCall,
  project: StoredProject,
  text: string,
): Promise<string> {
  if (uuidPattern.test(text)) return text.toLowerCase()
  const [, name = '', number = ''] = shortIdPattern.exec(text) ?? []
  const isOfProject = name.toUpperCase() === project.shortName.toUpperCase()
  const id = isOfProject
    ? await findIssueByNumber(ctx.pg, { projectId: project.dsnId, shortNo: Number(number) })
    : undefined
  if (id !== undefined) return id
  throw new CodedError('not_found', {
    message: `The project has no issue with this short id. Its short ids begin with ${project.shortName}-.`,
  })
}

/**
 * Which projects a client of Sentry means. The token decides about the organization, so its name in
 * the path is not compared. A project is named by its number, its id, its short name or its name as
 * Sentry writes it in URLs (`My Shop` is `my-shop`), so that the settings of a client stay.
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { Database } from '../database.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { listOrganizationProjects, type OrganizationProject } from '../projects/project-store.ts'

const namesShownMax = 20

export interface CompatProject {
  readonly id: string
  readonly dsnId: OrganizationProject['dsn_id']
  readonly slug: string
  readonly name: string
}

export async function findProjects(
  pg: Database,
  { organizationId, names }: { organizationId: string; names: readonly (string | number)[] },
): Promise<CompatProject[]> {
  const all = (await listOrganizationProjects(pg, organizationId)).map(compatProject)
  return [...new Set(names.map((name) => findNamed(all, String(name))))]
}

/** The project in a path. Throws `not_found`. */
export async function findPathProject(
  pg: Database,
  { organizationId, name }: { organizationId: string; name: string },
): Promise<CompatProject> {
  const all = (await listOrganizationProjects(pg, organizationId)).map(compatProject)
  const found = all.filter((project) => isNamed(project, name))
  if (found.length !== 1) throw new CodedError('not_found')
  return found[0]!
}

interface NamedProject extends CompatProject {
  readonly shortName: string
}

function findNamed(all: readonly NamedProject[], name: string): CompatProject {
  const found = all.filter((project) => isNamed(project, name))
  if (found.length === 1) return found[0]!
  const slugs = all.slice(0, namesShownMax).map(({ slug }) => slug)
  const rule =
    found.length === 0
      ? `must be projects of this organization, such as ${slugs.join(', ') || 'none yet'}`
      : 'must be numbers of projects, because several have this name'
  throw invalidField('projects', rule)
}

function isNamed(project: NamedProject, name: string): boolean {
  const text = name.toLowerCase()
  return (
    String(project.dsnId) === text ||
    project.id === text ||
    project.slug === text ||
    project.shortName.toLowerCase() === text
  )
}

function compatProject(row: OrganizationProject): NamedProject {
  return {
    id: row.id,
    dsnId: row.dsn_id,
    slug: slugOf(row.name) || row.short_name.toLowerCase(),
    name: row.name,
    shortName: row.short_name,
  }
}

function slugOf(name: string): string {
  return name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .join('-')
}

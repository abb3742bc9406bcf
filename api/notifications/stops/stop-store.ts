/** Alert emails that people have stopped: of one rule, or about one issue. */
import type { AlertStopKind, AlertStopLink } from '#schemas/alert-stop-token.ts'
import type { Database } from '../../database.ts'

export interface StopSubject {
  readonly kind: AlertStopKind
  /** Name of the rule, or title of the issue. */
  readonly name: string
  readonly projectName: string
  readonly isStopped: boolean
}

const subjects: Readonly<Record<AlertStopKind, string>> = {
  rule: `select r.id, r.name, r.project_id from alert_rules r`,
  issue: `select i.id, i.title as name, i.project_id from issues i`,
}

const columns: Readonly<Record<AlertStopKind, string>> = { rule: 'rule_id', issue: 'issue_id' }

/**
 * What a link stops. Undefined: it was deleted, or the person does not belong to its organization
 * any more, so that no emails are sent.
 */
export async function findStopSubject(
  pg: Database,
  { kind, personId, subjectId }: AlertStopLink,
): Promise<StopSubject | undefined> {
  const { rows } = await pg.query<Omit<StopSubject, 'kind'>>(
    `select s.name, p.name as "projectName",
       exists (select from alert_stops a where a.person_id = $1 and a.${columns[kind]} = s.id) as "isStopped"
       from (${subjects[kind]}) s
       join projects p on p.dsn_id = s.project_id
       join memberships m on m.organization_id = p.organization_id and m.person_id = $1
      where s.id = $2`,
    [personId, subjectId],
  )
  return rows[0] && { ...rows[0], kind }
}

export async function addStop(
  pg: Database,
  { kind, personId, subjectId, now }: AlertStopLink & { readonly now: Date },
): Promise<void> {
  await pg.query(
    `insert into alert_stops (person_id, ${columns[kind]}, created_at) values ($1, $2, $3)
     on conflict do nothing`,
    [personId, subjectId, now],
  )
}

/** Returns whether there was one. */
export async function removeStop(
  pg: Database,
  { kind, personId, subjectId }: AlertStopLink,
): Promise<boolean> {
  const { rowCount } = await pg.query(
    `delete from alert_stops where person_id = $1 and ${columns[kind]} = $2`,
    [personId, subjectId],
  )
  return rowCount !== 0
}

export interface ListedStop {
  readonly id: string
  readonly type: AlertStopKind
  readonly name: string
  readonly projectId: string
  readonly projectName: string
  readonly createdAt: Date
}

export interface StopsOfPerson {
  readonly personId: string
  readonly organizationId: string
}

export const stopsListedMax = 500

/** Newest first. */
export async function listStops(
  pg: Database,
  { personId, organizationId }: StopsOfPerson,
): Promise<ListedStop[]> {
  const { rows } = await pg.query<ListedStop>(
    `select s.id, s.type, s.name, p.id as "projectId", p.name as "projectName", s.created_at as "createdAt"
       from (
         select r.id, 'rule' as type, r.name, r.project_id, a.created_at
           from alert_stops a join alert_rules r on r.id = a.rule_id where a.person_id = $1
         union all
         select i.id, 'issue', i.title, i.project_id, a.created_at
           from alert_stops a join issues i on i.id = a.issue_id where a.person_id = $1
       ) s join projects p on p.dsn_id = s.project_id
      where p.organization_id = $2
      order by s.created_at desc, s.id desc limit ${stopsListedMax}`,
    [personId, organizationId],
  )
  return rows
}

import { useState } from 'preact/hooks'
import { Button, ButtonLink } from '../../../design/button.tsx'
import { formatNumber } from '../../../design/content/format.ts'
import { Page, Panel } from '../../../design/content/page.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { CheckField, SelectField } from '../../../design/forms/field.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { hrefOf, type Reply, request } from '../../../http/request.ts'
import { canWrite } from '../../../session/session.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { ideasList, settableStatuses } from '../common/idea.ts'
import { FileChoice, typeOfFile } from './file-choice.tsx'
import { ImportRows } from './import-rows.tsx'
import { guessStatus, isMappable, type StatusMap, statusMapText } from './status-map.ts'
import './files.css'

const importIdeas = 'POST /api/v1/admin/portal/{project_id}/ideas/import' as const
type Report = Reply<typeof importIdeas>

const bytesMax = 50 * 1024 * 1024

export function IdeaFilesPage() {
  const projectId = useProjectId()
  return (
    <Page
      title="Import and export"
      parent={{ label: 'Ideas', href: projectPath(projectId, 'ideas') }}
    >
      {canWrite.value ? (
        <>
          <ExportPanel projectId={projectId} />
          <ImportPanel key={projectId} projectId={projectId} />
        </>
      ) : (
        <p class="soft">Members of the organization can import and export ideas.</p>
      )}
    </Page>
  )
}

function ExportPanel({ projectId }: { readonly projectId: string }) {
  const params = { project_id: projectId }
  return (
    <Panel title="Export">
      <div class="stack">
        <p class="small">
          Every idea with its voters, comments, answer, tags, history and merges. The import reads
          the file without loss.
        </p>
        <div class="row">
          {(['csv', 'json'] as const).map((format) => (
            <a
              key={format}
              class="button button-plain button-m"
              download
              href={hrefOf('GET /api/v1/admin/portal/{project_id}/ideas/export', {
                params,
                query: { format },
              })}
            >
              Export {format.toUpperCase()}
            </a>
          ))}
        </div>
      </div>
    </Panel>
  )
}

/** A file is tried first: nothing is stored before the person has seen what would happen. */
function ImportPanel({ projectId }: { readonly projectId: string }) {
  const [file, setFile] = useState<File>()
  const [report, setReport] = useState<Report>()
  const [problem, setProblem] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const [createTags, setCreateTags] = useState(true)
  const [map, setMap] = useState<StatusMap>({})
  const run = async (chosen: File, isTrial: boolean, statuses: StatusMap, tags: boolean) => {
    setBusy(true)
    setProblem(undefined)
    try {
      const input = {
        params: { project_id: projectId },
        query: {
          dry_run: isTrial ? ('true' as const) : ('false' as const),
          create_tags: tags ? ('true' as const) : ('false' as const),
          status_map: statusMapText(statuses),
        },
        body: chosen,
        contentType: typeOfFile(chosen),
      }
      const result = await request(importIdeas, input as never)
      setReport(result)
      if (!isTrial) void invalidateReads(ideasList)
    } catch (error) {
      setReport(undefined)
      setProblem(error as Error)
    }
    setBusy(false)
  }
  const choose = (chosen: File) => {
    setFile(chosen)
    setMap({})
    void run(chosen, true, {}, createTags)
  }
  const retry = (statuses: StatusMap, tags: boolean) => {
    setMap(statuses)
    setCreateTags(tags)
    if (file !== undefined) void run(file, true, statuses, tags)
  }
  return (
    <Panel title="Import">
      <div class="stack">
        <FileChoice
          label="File"
          hint="An export of Sluice, Canny, Fider or UserVoice, or any CSV or JSON with title and description."
          bytesMax={bytesMax}
          onFile={choose}
        />
        {problem !== undefined && <ProblemBox problem={problem} />}
        {isBusy && (
          <p class="soft small" role="status">
            Reading the file…
          </p>
        )}
        {report !== undefined && (
          <IdeaReport
            projectId={projectId}
            report={report}
            map={map}
            createTags={createTags}
            isBusy={isBusy}
            onMap={(next) => retry(next, createTags)}
            onCreateTags={(next) => retry(map, next)}
            onImport={() => file !== undefined && void run(file, false, map, createTags)}
          />
        )}
      </div>
    </Panel>
  )
}

interface ReportProps {
  readonly projectId: string
  readonly report: Report
  readonly map: StatusMap
  readonly createTags: boolean
  readonly isBusy: boolean
  readonly onMap: (map: StatusMap) => void
  readonly onCreateTags: (wanted: boolean) => void
  readonly onImport: () => void
}

function IdeaReport(props: ReportProps) {
  const { projectId, report, map, createTags, isBusy, onMap, onCreateTags, onImport } = props
  const names = [...new Set([...report.unknown_statuses, ...Object.keys(map)])]
  const tags = [...new Set([...report.unknown_tags, ...report.created_tags])]
  const isTrial = report.dry_run
  return (
    <>
      <h3>{isTrial ? 'What the import would do' : 'What the import did'}</h3>
      <dl class="import-counts">
        {[
          ['Rows', report.read],
          [isTrial ? 'To import' : 'Imported', report.imported],
          ['Known already', report.known],
          ['Skipped', report.skipped],
        ].map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{formatNumber(value as number)}</dd>
          </div>
        ))}
      </dl>
      {isTrial && names.length > 0 && (
        <div class="form">
          <p class="small">
            The file has {names.length === 1 ? 'a status' : 'statuses'} that Sluice does not have.
            Choose what {names.length === 1 ? 'it means' : 'they mean'}; rows without a choice are
            skipped.
          </p>
          {names.map((name) =>
            isMappable(name) ? (
              <SelectField
                key={name}
                label={name}
                value={map[name] ?? ''}
                choices={[
                  { value: '', label: `Skip these rows (perhaps ${guessStatus(name)})` },
                  ...settableStatuses.map((value) => ({ value, label: value })),
                ]}
                onValue={(value) => {
                  const { [name]: _, ...others } = map
                  const status = settableStatuses.find((known) => known === value)
                  onMap(status === undefined ? others : { ...others, [name]: status })
                }}
              />
            ) : (
              <p key={name} class="field-error">
                “{name}” has a comma. Rename it in the file.
              </p>
            ),
          )}
        </div>
      )}
      {isTrial && tags.length > 0 && (
        <CheckField
          label={`Create the tags that are missing: ${tags.slice(0, 20).join(', ')}`}
          hint="Otherwise rows with them are skipped."
          checked={createTags}
          onChecked={onCreateTags}
        />
      )}
      {report.ignored_columns.length > 0 && (
        <p class="small soft">
          Columns that are not imported: {report.ignored_columns.slice(0, 50).join(', ')}
        </p>
      )}
      {isTrial ? (
        <div class="form-actions">
          <Button kind="primary" busy={isBusy} disabled={report.imported === 0} onClick={onImport}>
            Import {formatNumber(report.imported)} {report.imported === 1 ? 'idea' : 'ideas'}
          </Button>
        </div>
      ) : (
        <div class="form-actions">
          <ButtonLink href={projectPath(projectId, 'ideas')}>Open the ideas</ButtonLink>
        </div>
      )}
      <ImportRows title="Skipped rows" rows={report.problems} />
      <ImportRows title="Changed values" rows={report.notes} />
    </>
  )
}

// cspell:ignore mistakes -- a field of the API
import { useState } from 'preact/hooks'
import { Button, ButtonLink } from '../../../design/button.tsx'
import { formatNumber } from '../../../design/content/format.ts'
import { Page, Panel } from '../../../design/content/page.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { hrefOf, type Reply, request } from '../../../http/request.ts'
import { canWrite } from '../../../session/session.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { FileChoice, typeOfFile } from './file-choice.tsx'
import { ImportRows } from './import-rows.tsx'
import './files.css'

const importFeedback = 'POST /api/v1/admin/feedback/{project_id}/import' as const
type Report = Reply<typeof importFeedback>

const bytesMax = 10 * 1024 * 1024

export function FeedbackFilesPage() {
  const projectId = useProjectId()
  const params = { project_id: projectId }
  return (
    <Page
      title="Import and export"
      parent={{ label: 'Feedback', href: projectPath(projectId, 'feedback') }}
    >
      {canWrite.value ? (
        <>
          <Panel title="Export">
            <div class="stack">
              <p class="small">
                All feedback, archived items included, newest first. The import reads the file
                without loss.
              </p>
              <div class="row">
                {(['csv', 'json'] as const).map((format) => (
                  <a
                    key={format}
                    class="button button-plain button-m"
                    download
                    href={hrefOf('GET /api/v1/admin/feedback/{project_id}/export', {
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
          <ImportPanel key={projectId} projectId={projectId} />
        </>
      ) : (
        <p class="soft">Members of the organization can import and export feedback.</p>
      )}
    </Page>
  )
}

function ImportPanel({ projectId }: { readonly projectId: string }) {
  const [file, setFile] = useState<File>()
  const [report, setReport] = useState<Report>()
  const [problem, setProblem] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const run = async (chosen: File, isTrial: boolean) => {
    setBusy(true)
    setProblem(undefined)
    try {
      const input = {
        params: { project_id: projectId },
        query: { dry_run: isTrial ? ('true' as const) : ('false' as const) },
        body: chosen,
        contentType: typeOfFile(chosen),
      }
      setReport(await request(importFeedback, input as never))
      if (!isTrial) {
        void invalidateReads(
          'GET /api/v1/admin/feedback/{project_id}/inbox',
          'GET /api/v1/admin/feedback/{project_id}/stats',
        )
      }
    } catch (error) {
      setReport(undefined)
      setProblem(error as Error)
    }
    setBusy(false)
  }
  return (
    <Panel title="Import">
      <div class="stack">
        <FileChoice
          label="File"
          hint="CSV with a header row, or JSON: message, and optionally type, status, version, person_email and more."
          bytesMax={bytesMax}
          onFile={(chosen) => {
            setFile(chosen)
            void run(chosen, true)
          }}
        />
        {problem !== undefined && <ProblemBox problem={problem} />}
        {isBusy && (
          <p class="soft small" role="status">
            Reading the file…
          </p>
        )}
        {report !== undefined && (
          <>
            <h3>{report.dry_run ? 'What the import would do' : 'What the import did'}</h3>
            <dl class="import-counts">
              {[
                ['Rows', report.rows],
                [report.dry_run ? 'To import' : 'Imported', report.added],
                ['Known already', report.already_there],
                ['Refused', report.refused],
              ].map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{formatNumber(value as number)}</dd>
                </div>
              ))}
            </dl>
            {report.ignored_columns.length > 0 && (
              <p class="small soft">
                Columns that are not imported: {report.ignored_columns.slice(0, 50).join(', ')}
              </p>
            )}
            <div class="form-actions">
              {report.dry_run ? (
                <Button
                  kind="primary"
                  busy={isBusy}
                  disabled={report.added === 0}
                  onClick={() => file !== undefined && void run(file, false)}
                >
                  Import {formatNumber(report.added)} {report.added === 1 ? 'item' : 'items'}
                </Button>
              ) : (
                <ButtonLink href={projectPath(projectId, 'feedback')}>Open the feedback</ButtonLink>
              )}
            </div>
            <ImportRows title="Refused rows" rows={report.mistakes} />
            <ImportRows title="Changed values" rows={report.notes} />
          </>
        )}
      </div>
    </Panel>
  )
}

/**
 * The administration has two front ends over the same actions: the HTTP API and the command line.
 * This test compares them. A difference must be listed here with its reason.
 */
import { beforeAll, expect, test } from 'vitest'
import { ApiDocument, type Operation } from '../../test/fixtures/api-document.ts'
import { appWithoutStores } from '../../test/fixtures/api-fixture.ts'
import type { Thing } from './command.ts'
import { checkCommands, firstCommands } from './one-word-commands.ts'
import { things } from './things.ts'

/** Operations of the administration that no command calls, by the reason. */
const withoutCommand: Readonly<Record<string, readonly string[]>> = {
  'Scripts read and change errors over HTTP with an access token.': [
    'bookmarkIssue',
    'commentOnIssue',
    'compareReleases',
    'countIssues',
    'deleteIssue',
    'deleteMonitor',
    'deleteAttachment',
    'downloadAttachment',
    'getEvent',
    'getEventBrief',
    'getIssue',
    'getIssueBrief',
    'getIssueEvent',
    'getMonitor',
    'getOutcomes',
    'getRelease',
    'getTriageStats',
    'listAttachments',
    'listEvents',
    'listIssueEvents',
    'listIssueHashes',
    'listIssueUsers',
    'linkIssue',
    'listIssues',
    'listMonitorRuns',
    'listMonitors',
    'listReleases',
    'listSearchFields',
    'listSimilarIssues',
    'listTagValues',
    'listTags',
    'listTriage',
    'matchOwnership',
    'mergeIssue',
    'previewAttachment',
    'removeBookmark',
    'setReleaseCommits',
    'tryProjectSettings',
    'unlinkIssue',
    'unmergeIssue',
    'updateIssue',
    'updateIssues',
    'updateMonitor',
  ],
  'The command line has no login of its own.': [
    'deleteAlertStop',
    'endLogin',
    'endOtherLogins',
    'getMe',
    'listAlertStops',
    'listLogins',
    'logOut',
    'updateMe',
  ],
  'The dashboard shows it before or beside an action.': [
    'getCampaignResults',
    'getEmailContent',
    'getFeedbackStats',
    'getProjectOverview',
    'getTransportRate',
    'listFeedbackInbox',
    'previewBranding',
    'previewCampaign',
    'previewIdeaMerge',
    'showCampaignPreview',
    'showEmailContent',
  ],
  'The dashboard changes a selection; `feedback update` and `delete` change one.': [
    'bulkUpdateFeedback',
  ],
  'For access tokens: `feedback list` and `feedback show` call the operations for people.': [
    'getProjectFeedback',
    'listProjectFeedback',
  ],
  '`npm run top` shows the processes; the dashboard lists the jobs that failed.': [
    'getOperation',
    'listJobs',
    'retryJobs',
  ],
  'A view is an address of the dashboard, which saves it.': [
    'createView',
    'deleteView',
    'listViews',
    'updateView',
  ],
  '`idea export-voters` writes the whole list.': ['listVoters'],
  '`suppression list` shows the same rows, with `--json` for programs.': ['exportSuppressions'],
}

/** Commands that call no operation, as `thing verb`, by the reason. */
const withoutOperation: Readonly<Record<string, readonly string[]>> = {
  'Only the operator of the installation may do it, and nobody over HTTP.': [
    'backup create',
    'backup delete',
    'backup list',
    'backup prune',
    'backup restore',
    'backup verify',
    'domain allow',
    'domain allowed',
    'domain disallow',
    'organization create',
    'organization list',
    'partitions set',
    'partitions settle',
    'partitions show',
    'reconcile',
    'secret rotate',
    'setup',
  ],
  'It must work while Postgres, and so the API, is away.': ['doctor'],
  'It runs with the version that is not installed yet.': ['upgrade'],
}

let operations: readonly Operation[]

beforeAll(async () => {
  const app = await appWithoutStores()
  await app.ready()
  operations = new ApiDocument(app).operations
})

async function verbsOf({ name, loadVerbs }: Thing) {
  const plans = await loadVerbs()
  return plans.map((plan) => ({ command: `${name} ${plan.verb}`, operation: plan.operation }))
}

const verbs: readonly { command: string; operation: string | undefined }[] = [
  ...[...firstCommands, ...checkCommands].map((plan) => ({
    command: plan.verb,
    operation: plan.operation,
  })),
  ...(await Promise.all(things.map(verbsOf))).flat(),
]

test('every operation of the administration has a command or a listed reason', () => {
  const called = new Set(verbs.map(({ operation }) => operation))
  const missing = operations
    .filter(({ security }) => security === 'login' || security === 'accessToken')
    .map(({ operationId }) => operationId ?? '')
    .filter((id) => !called.has(id))
  expect(missing.sort()).toEqual(Object.values(withoutCommand).flat().sort())
})

test('every command names its operation or has a listed reason', () => {
  const missing = verbs.filter(({ operation }) => operation === undefined)
  expect(missing.map(({ command }) => command).sort()).toEqual(
    Object.values(withoutOperation).flat().sort(),
  )
})

test('every operation that a command names exists', () => {
  const ids = new Set(operations.map(({ operationId }) => operationId))
  expect(verbs.filter(({ operation }) => operation !== undefined && !ids.has(operation))).toEqual(
    [],
  )
})

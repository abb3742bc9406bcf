/**
 * Releases as deployments name them, with the real `sentry-cli` and a repository of git: only the
 * URL and the token are ours.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'
import type { IssueDetail } from '#schemas/rest/issue.ts'
import type { ReleaseDetail } from '#schemas/rest/release.ts'
import { type ProgramEnd, runProgram } from '../fixtures/processes/run-program.ts'
import { organizationOfThisFile } from '../fixtures/processes/running-product.ts'

const product = organizationOfThisFile()

test('sentry-cli names a release, its commits and its deploy, and the issue names the commit', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-releases-'))
  const project = await product().projectAtOnce('Shop of sentry-cli')
  const environment = {
    HOME: folder,
    SENTRY_URL: product().stack.urls.api,
    SENTRY_AUTH_TOKEN: project.token,
    SENTRY_ORG: 'acme',
    SENTRY_PROJECT: 'shop-of-sentry-cli',
    SENTRY_DISABLE_UPDATE_CHECK: 'true',
    GIT_CONFIG_NOSYSTEM: '1',
  }
  const git = (...args: string[]) => runProgram('git', args, environment, folder)
  const cli = async (...args: string[]): Promise<ProgramEnd> => {
    const program = join(projectRoot, 'node_modules/.bin/sentry-cli')
    const end = await runProgram(program, args, environment, folder)
    expect([args, end.code, end.stderr]).toEqual([args, 0, ''])
    return end
  }
  const commit = async (name: string, message: string): Promise<string> => {
    await writeFile(join(folder, name), message)
    await git('add', '.')
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.test']
    await git(...author, 'commit', '-q', '-m', message)
    return (await git('rev-parse', 'HEAD')).stdout.trim()
  }
  try {
    await git('init', '-q')
    await git('remote', 'add', 'origin', 'https://github.com/acme/shop.git')
    const first = await commit('server.ts', 'Begin')
    await cli('releases', 'new', 'shop@1.0.0')
    await cli('releases', 'set-commits', 'shop@1.0.0', '--local')
    const second = await commit('cart.ts', 'Read the cart once')
    const third = await commit('readme.md', 'Say how')
    await cli('releases', 'new', 'shop@1.1.0', '--url', 'https://shop.test/1.1.0')
    await cli('releases', 'set-commits', 'shop@1.1.0', '--auto')
    await cli('releases', 'finalize', 'shop@1.1.0')
    await cli('releases', 'deploys', 'shop@1.1.0', 'new', '-e', 'production', '-t', '60')
    await cli('deploys', 'new', '--release', 'shop@1.1.0', '-e', 'eu', '-n', 'blue')
    const listed = await cli('releases', 'list')
    expect(listed.stdout).toContain('shop@1.1.0')
    expect((await cli('releases', 'info', 'shop@1.1.0', '-P', '-C')).stdout).toContain('shop@1.1.0')
    expect((await cli('deploys', 'list', '--release', 'shop@1.1.0')).stdout).toContain('blue')
    expect((await cli('info')).stdout).toContain('issues:write')

    const { body } = await project.api<ReleaseDetail>('/releases/shop%401.1.0')
    expect(body).toMatchObject({
      url: 'https://shop.test/1.1.0',
      date_released: expect.any(String),
      // Since the commits of the release before.
      commits: [third, second],
      commit_details: [
        { subject: 'Say how', author_name: 'Ada', author_email: 'ada@example.test' },
        { subject: 'Read the cart once', file_count: 1 },
      ],
      deploys: [{ environment: 'eu', name: 'blue' }, { environment: 'production' }],
    })
    const before = await project.api<ReleaseDetail>('/releases/shop%401.0.0')
    expect(before.body.commits).toEqual([first])

    const frames = [{ filename: 'cart.ts', abs_path: '/app/cart.ts', function: 'f', in_app: true }]
    const event = {
      event_id: 'e'.repeat(32),
      platform: 'node',
      release: 'shop@1.1.0',
      exception: { values: [{ type: 'Error', value: 'broken', stacktrace: { frames } }] },
    }
    const item = JSON.stringify(event)
    await project.send({ body: `{}\n{"type":"event","length":${item.length}}\n${item}\n` })
    await project.hasEvents(1)
    const issues = await project.api<{ items: { id: string }[] }>('/issues')
    const issue = await project.api<IssueDetail>(`/issues/${issues.body.items[0]!.id}`)
    expect(issue.body.suspect_commits).toMatchObject([
      { id: second, release: 'shop@1.1.0', path: 'cart.ts', author_name: 'Ada' },
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

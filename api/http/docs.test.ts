import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'
import { metricsOf } from './health.ts'

const api = apiOfThisFile()

test('the documentation lists every route with its errors and an example', async () => {
  const { status, body } = await api().call('/docs/json')
  expect(status).toBe(200)
  const issues = body.paths['/api/v1/projects/{project_id}/issues'].get
  expect(Object.keys(issues.responses)).toEqual(['200', '400', '401', '403', '404', '429', '503'])
  expect(issues.security).toEqual([{ accessToken: [] }, { login: [] }])
  expect(body.components.schemas.Issue.example.short_id).toBe('SHOP-12')
  expect(body.components.schemas.Problem.properties).toHaveProperty('code')
  const page = await api().call('/docs')
  expect(page.status).toBe(200)
  expect(page.headers['content-security-policy']).not.toContain('upgrade-insecure-requests')
})

test('the files of the build hold the routes of this API, with its URL', async () => {
  const { apiUrl } = api().ctx
  const json = (await api().call('/docs/json')).body
  expect(json).toEqual(JSON.parse(JSON.stringify(api().app.swagger())))
  expect(json.servers).toEqual([{ url: apiUrl }])
  const yaml = await api().call('/docs/yaml')
  expect(yaml.headers['content-type']).toBe('application/x-yaml')
  expect(parse(yaml.body)).toEqual(json)
})

test('health and readiness reply, and metrics contain no project id', async () => {
  const tenant = await api().tenant('Shop')
  expect((await api().call('/health')).body).toEqual({ status: 'ok' })
  expect((await api().call('/health/ready')).body).toEqual({ status: 'ready', dependencies: {} })
  const body = await metricsOf(api().app).metrics()
  expect(body).toContain('api_request_duration_seconds_count')
  expect(body).not.toContain(tenant.project.id)
})

test('the ClickHouse connection of the API cannot write', async () => {
  const tenant = await api().tenant('Read only')
  const write = api().ctx.clickhouse.select('insert into outcomes (project_id) values (1)', {})
  await expect(write).rejects.toThrow()
  const { body } = await api().of(tenant, '/outcomes')
  expect(body.items).toEqual([])
})

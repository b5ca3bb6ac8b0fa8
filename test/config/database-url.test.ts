import { expect, test } from 'vitest'
import { settingOf } from '../../config/catalogue.ts'
import { parseDatabaseUrl, serversMax } from '../../config/database-url.ts'

test('an address may list several servers, each with its port, and which of them is meant', () => {
  const found = parseDatabaseUrl(
    'postgres://ada:p%40ss@db1.example.com:5432,[::1]:5433,db3/app?target_session_attrs=read-write&sslmode=verify-full',
  )
  expect(found?.places).toEqual([
    { host: 'db1.example.com', port: 5_432 },
    { host: '::1', port: 5_433 },
    { host: 'db3', port: 5_432 },
  ])
  expect(found?.target).toBe('read-write')
  expect(found?.places.map((place) => found.urlOf(place))).toEqual([
    'postgres://ada:p%40ss@db1.example.com:5432/app?sslmode=verify-full',
    'postgres://ada:p%40ss@[::1]:5433/app?sslmode=verify-full',
    'postgres://ada:p%40ss@db3:5432/app?sslmode=verify-full',
  ])
})

test('an address of one server stays as it is', () => {
  for (const url of ['postgres://ada:secret@db.example.com/app', 'postgresql://localhost/app?host=/run/postgresql']) {
    const found = parseDatabaseUrl(url)
    expect(found?.places).toHaveLength(1)
    expect(found?.target).toBeUndefined()
    expect(found?.places.map((place) => found.urlOf(place))).toEqual([url])
  }
})

test.each([
  'mysql://db.example.com/app',
  'postgres://db1.example.com:5432,db2.example.com:port/app',
  'postgres://db1.example.com:5432,db2.example.com:65536/app',
  'postgres://db1.example.com,,db2.example.com/app',
  'postgres://db1.example.com,db2.example.com/app?target_session_attrs=writer',
  'postgres://ada:hunt/er2@db.example.com/app',
  `postgres://${Array.from({ length: serversMax + 1 }, (_, at) => `db${at}`).join(',')}/app`,
  'nonsense',
])('%s is no address of a database', (text) => {
  expect(parseDatabaseUrl(text)).toBeUndefined()
})

test('the service writes, so its own database cannot be a standby', () => {
  const url = 'postgres://db1.example.com,db2.example.com/app?target_session_attrs=standby'
  expect(settingOf('SERVICE_DB_QUERY_DSN').parse(url)).toBe(url)
  expect(() => settingOf('SERVICE_DATABASE_URL').parse(url)).toThrow('read-write, primary')
})

import { expect, test } from "vitest"
import type { Memory } from "../../src/memory/model/memory.ts"
import { writeMemories } from "../../src/memory/model/store/store.ts"
import type { Database } from "../../src/storage/database.ts"
import { searchTerms } from "../../src/storage/search.ts"
import { sql } from "../../src/storage/sql.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"
import type { TestDatabase } from "../../testkit/setup/databases.ts"

/** What full text and nearest vectors must do on every database. */
export function searchContract(create: () => Promise<TestDatabase>): void {
  test("words are found in other forms, and better matches come first", async () => {
    const db = await (await create()).open()
    await put(db, "m_deploy", "We deploy the gateway on Fridays.")
    await put(db, "m_both", "Deploying the billing gateway needs two approvals.")
    await put(db, "m_other", "The cat sleeps.")
    expect(await find(db, "billing gateway deployment")).toEqual(["m_both", "m_deploy"])
  })

  test("accents, case and punctuation do not matter, and no query can break it", async () => {
    const db = await (await create()).open()
    await put(db, "m_port", "PORT: 5433 (staging)!")
    expect(await find(db, "port 5433?")).toEqual(["m_port"])
    for (const query of [
      `"' OR NEAR(*`,
      "a:b^c -d",
      "\\",
      "'; drop table memories; --",
      "$1 :x @y & | ! <->",
    ]) {
      await expect(find(db, query), query).resolves.toBeInstanceOf(Array)
    }
    expect(await find(db, "🙂 …")).toEqual([])
    await put(
      db,
      "m_cafe",
      "Anna (anna@example.com) meets at the Café on node-24.21.0, see src/storage/sqlite/open.ts",
    )
    for (const query of ["anna@example.com", "cafe", "CAFÉ", "24", "sqlite", "at the"]) {
      expect(await find(db, query), query).toEqual(["m_cafe"])
    }
    await put(db, "m_tokyo", "東京 タワー")
    expect(await find(db, "タワー")).toEqual(["m_tokyo"])
  })

  test.each([
    ["Chinese", "测试数据库监听5442端口。", ["数据库", "哪个端口?", "5442", "库"]],
    ["Japanese", "うちの猫の名前はタマで、データベースが好きです。", ["猫は?", "名前", "データベース"]],
    ["Korean", "배포는 화요일 저녁에 서버에서 합니다.", ["배포를", "서버가", "화요일"]],
    ["Korean, taken apart", "배포는 화요일".normalize("NFD"), ["배포"]],
    ["Thai", "ฐานข้อมูลทดสอบใช้พอร์ต 5445", ["ข้อมูล", "พอร์ต", "5445"]],
    ["Lao", "ແມວຂອງຂ້ອຍຊື່ມີມີ", ["ແມວ", "ຂ້ອຍ"]],
    ["Khmer", "ឆ្មារបស់ខ្ញុំឈ្មោះមីមី", ["ឆ្មា", "ឈ្មោះ"]],
    ["Burmese", "ကျွန်တော့်ကြောင်နာမည် မီမီ", ["နာမည်", "ကြောင်"]],
    ["Russian", "Мой кот любит ёжиков, и ЙОГУРТ тоже.", ["мой", "КОТ", "ежиков", "йогурт"]],
    ["Greek", "Η συνάντηση είναι την Πέμπτη.", ["συναντηση", "ΠΕΜΠΤΗ", "Πέμπτη"]],
    ["Arabic", "تُرسَل الفواتير في نهاية الشهر إلى أحمد.", ["ترسل", "الفواتير", "احمد"]],
    ["Hebrew", "שָׁלוֹם לכולם", ["שלום", "לכולם"]],
    ["Hindi", "मेरी बिल्ली का नाम मिमी है।", ["बिल्ली", "मिमी", "नाम"]],
    ["German", "Die Prüfung läuft über Köln", ["prufung", "PRÜFUNG", "koln"]],
    ["mixed", "用Docker部署gateways到東京", ["docker", "deploy 部署", "gateway", "東京"]],
  ])("%s words are found", async (_, content, queries) => {
    const db = await (await create()).open()
    await put(
      db,
      "m_other",
      "今日は天気です, погода хорошая, الطقس جميل, อากาศดี, मौसम अच्छा, something else 9999",
    )
    await put(db, "m_meant", content)
    for (const query of queries) expect(await find(db, query), query).toEqual(["m_meant"])
    await put(db, "m_meant", "nothing", 2)
    for (const query of queries) expect(await find(db, query), query).toEqual([])
  })

  test("words that differ in their vowel signs alone are told apart", async () => {
    const db = await (await create()).open()
    await put(db, "m_day", "दिन")
    await put(db, "m_gift", "दान")
    expect(await find(db, "दान")).toEqual(["m_gift"])
  })

  test("a condition holds for every result, and a changed or removed text is no longer found", async () => {
    const db = await (await create()).open()
    await put(db, "m_one", "alpha beta")
    await put(db, "m_two", "alpha gamma")
    expect(await find(db, "alpha", sql`m.id <> 'm_one'`)).toEqual(["m_two"])
    await put(db, "m_one", "delta", 2)
    await db.write((transaction) => writeMemories(transaction, [{ id: "m_two", image: null }]))
    expect(await find(db, "alpha")).toEqual([])
    expect(await find(db, "delta")).toEqual(["m_one"])
  })

  test("the nearest vectors are found as by comparing all, by cosine", async () => {
    const db = await (await create()).open()
    const vectors = await putVectors(db, 300)
    const query = unit(7, 999)
    const expected = [...vectors].map(([id, vector]) => ({ id, score: dot(vector, query) }))
    expected.sort((a, b) => b.score - a.score)
    const found = await db.search.nearest({ model: "tiny", vector: query, where: sql`true`, limit: 10 })
    expect(found.map(({ id }) => id)).toEqual(expected.slice(0, 10).map(({ id }) => id))
    expect(found[0]?.score).toBeCloseTo(expected[0]?.score ?? 0, 4)
  })

  test("many vectors find what each finds alone, without what is too little alike", async () => {
    const db = await (await create()).open()
    await putVectors(db, 300)
    const queries = Array.from({ length: 6 }, (_, index) => unit(7, 2000 + index))
    const least = 0.5
    for (const where of [sql`true`, sql`m.id like 'm_1%'`, sql`m.id in ('m_17', 'm_200')`, sql`false`]) {
      const search = { model: "tiny", where, limit: 10 }
      for (const count of [0, 1, 6]) {
        const vectors = queries.slice(0, count)
        const alone = await Promise.all(vectors.map((vector) => db.search.nearest({ ...search, vector })))
        const wanted = alone.map((found) => found.filter(({ score }) => score >= least))
        expect(await db.search.nearestEach({ ...search, vectors, least })).toEqual(wanted)
      }
    }
    const other = { model: "other", where: sql`true`, limit: 10, least }
    expect(await db.search.nearestEach({ ...other, vectors: queries })).toEqual(queries.map(() => []))
  })

  test("a condition on vectors is kept, however few fulfil it", async () => {
    const db = await (await create()).open()
    await putVectors(db, 300)
    const where = sql`m.id in ('m_17', 'm_200')`
    const found = await db.search.nearest({ model: "tiny", vector: unit(7, 5), where, limit: 10 })
    expect(found.map(({ id }) => id).sort()).toEqual(["m_17", "m_200"])
  })

  test("vectors of another model are never compared, and a wrong length is refused", async () => {
    const db = await (await create()).open()
    await putVectors(db, 3)
    expect(
      await db.search.nearest({ model: "other", vector: unit(7, 1), where: sql`true`, limit: 5 }),
    ).toEqual([])
    const wrong = db.search.nearest({ model: "tiny", vector: unit(9, 1), where: sql`true`, limit: 5 })
    await expect(wrong).rejects.toThrow("7 dimensions, not 9")
    await expect(save(db, "m_1", unit(9, 1))).rejects.toThrow("7 dimensions, not 9")
  })

  test("the cosines of single memories are told, of those that have a vector of the model", async () => {
    const db = await (await create()).open()
    const vectors = await putVectors(db, 3)
    await put(db, "m_without", "no vector")
    const rows = await db.read<{ id: string; seq: number }>(
      sql`select id, seq from memories where id <> 'm_1'`,
    )
    const [query, seqs] = [unit(7, 999), rows.map(({ seq }) => seq)]
    const cosines = await db.search.cosines({ model: "tiny", vector: query, seqs })
    expect(cosines.size).toBe(2)
    for (const { id, seq } of rows) {
      const vector = vectors.get(id)
      if (vector) expect(cosines.get(seq)).toBeCloseTo(dot(vector, query), 1.5)
    }
    expect((await db.search.cosines({ model: "other", vector: query, seqs })).size).toBe(0)
    expect((await db.search.cosines({ model: "tiny", vector: query, seqs: [] })).size).toBe(0)
  })

  test("vectors are read back exactly, page by page, as far as a condition allows", async () => {
    const db = await (await create()).open()
    const vectors = await putVectors(db, 5)
    const where = sql`m.id <> 'm_2'`
    const first = await db.search.vectorsOf({ model: "tiny", where, after: 0, limit: 3 })
    const second = await db.search.vectorsOf({ model: "tiny", where, after: first[2]?.seq ?? 0, limit: 3 })
    expect([...first, ...second].map(({ id, vector }) => [id, vector])).toEqual(
      ["m_0", "m_1", "m_3", "m_4"].map((id) => [id, vectors.get(id)]),
    )
    expect(await db.search.vectorsOf({ model: "other", where, after: 0, limit: 3 })).toEqual([])
  })

  test("a vector that is replaced, or whose memory goes, is noticed by every connection", async () => {
    const store = await create()
    const [one, two] = [await store.open(), await store.open()]
    await putVectors(one, 70)
    const query = unit(7, 5000)
    const nearest = async () =>
      (await two.search.nearest({ model: "tiny", vector: query, where: sql`true`, limit: 1 }))[0]?.id
    await nearest()
    await save(one, "m_65", query)
    expect(await nearest()).toBe("m_65")
    await one.write((transaction) => writeMemories(transaction, [{ id: "m_65", image: null }]))
    await put(one, "m_new", "takes no place of the removed one")
    expect(await nearest()).not.toBe("m_65")
    expect(await nearest()).not.toBe("m_new")
  })

  test("an erased vector is gone from everything that is kept of it, and the others stay", async () => {
    const store = await create()
    const [db, other] = [await store.open(), await store.open()]
    await putVectors(db, 70)
    // Replaced by way of an edit, which leaves bytes in an older place.
    await put(db, "m_65", "another text", 2)
    await save(db, "m_65", unit(7, 5000))
    const nearest = async (on: Database, seed: number) =>
      (await on.search.nearest({ model: "tiny", vector: unit(7, seed), where: sql`true`, limit: 1 }))[0]?.id
    expect(await nearest(other, 5000)).toBe("m_65")
    await db.write((transaction) => db.search.eraseVectors(transaction, ["m_65", "m_3"]))
    for (const on of [db, other]) {
      expect(await nearest(on, 5000)).not.toBe("m_65")
      expect(await nearest(on, 3)).not.toBe("m_3")
      expect(await nearest(on, 66)).toBe("m_66")
    }
    await save(db, "m_3", unit(7, 3))
    expect(await nearest(other, 3)).toBe("m_3")
    if (db.kind !== "sqlite") return
    const [seq] = await db.read<{ seq: number }>(sql`select seq from memories where id = 'm_65'`)
    const chunks = await db.read<{ seqs: Uint8Array; codes: Uint8Array }>(
      sql`select seqs, codes from vector_chunks`,
    )
    const places = chunks.flatMap(({ seqs, codes }) =>
      [...new Float64Array(seqs.slice().buffer)].map((of, place) => ({
        of,
        isBlank: codes.slice(place * 7, (place + 1) * 7).every((code) => code === 0),
      })),
    )
    expect(places.filter(({ of }) => of === seq?.seq)).toEqual([])
    expect(places.filter(({ isBlank }) => isBlank)).toHaveLength(3)
  })
}

async function find(db: Database, query: string, where = sql`true`): Promise<string[]> {
  const words = searchTerms(query)
  if (words.length === 0) return []
  return (await db.search.fullText({ words, where, limit: 10 })).map(({ id }) => id)
}

async function putVectors(db: Database, count: number): Promise<Map<string, Float32Array>> {
  const vectors = new Map<string, Float32Array>()
  for (let number = 0; number < count; number += 1) {
    const id = `m_${number}`
    await put(db, id, `text ${number}`)
    vectors.set(id, unit(7, number))
    await save(db, id, unit(7, number))
  }
  return vectors
}

async function save(db: Database, id: string, vector: Float32Array): Promise<void> {
  await db.write((transaction) => db.search.saveVectors(transaction, "tiny", [{ id, vector }]))
}

function unit(dimensions: number, seed: number): Float32Array {
  const random = createSeededRandom(seed)
  const vector = Float32Array.from({ length: dimensions }, () => random.next() * 2 - 1)
  const length = Math.sqrt(dot(vector, vector))
  return vector.map((value) => value / length)
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
}

async function put(db: Database, id: string, content: string, version = 1): Promise<void> {
  const memory: Memory = {
    id,
    version,
    content,
    type: "fact",
    scope: "global",
    project: null,
    tags: [],
    status: "active",
    supersededBy: null,
    source: "user-stated",
    sourceId: null,
    sessionId: null,
    messageIndex: null,
    createdAt: 0,
    updatedAt: 0,
    accessedAt: null,
    verifiedAt: null,
    accessCount: 0,
    strength: 1,
    confidence: 1,
    trust: 1,
    audience: null,
    triggers: [],
    details: {},
  }
  await db.write((transaction) => writeMemories(transaction, [{ id, image: memory }]))
}

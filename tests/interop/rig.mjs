// Producers and workers of one BullMQ release, driven by JSON lines: node rig.mjs MODULE SOCKET
import { createInterface } from 'node:readline';

const [, , module, url] = process.argv;
const { Queue, Worker, FlowProducer } = await import(module);
const { Redis } = await import('ioredis');

const connect = () => new Redis(url, { maxRetriesPerRequest: null });
const connection = connect();
const queues = new Map(), held = [];
const ended = [];

function queue({ prefix, queue: name }) {
  const key = `${prefix}:${name}`;
  if (!queues.has(key)) queues.set(key, new Queue(name, { connection, prefix }));
  return queues.get(key);
}

async function work(job) {
  ended.push({ id: job.id, event: 'started' });
  if (job.data.hang) await new Promise((release) => held.push(release));
  if (job.data.fail) throw new Error(job.data.fail);
  return { ran: job.id };
}

const ops = {
  add: async (a) => (await queue(a).add(a.name ?? 'job', a.data ?? {}, a.opts ?? {})).id,
  add_bulk: async (a) => (await queue(a).addBulk(a.jobs.map((j) => ({ name: 'job', data: {}, ...j })))).map((j) => j.id),
  flow: async (a) => (await new FlowProducer({ connection, prefix: a.prefix }).add(a.flow)).job.id,
  scheduler: async (a) => (await queue(a).upsertJobScheduler(a.id, a.repeat, { name: 'run', data: {} })).id,
  counts: (a) => queue(a).getJobCounts(),
  state: async (a) => (await queue(a).getJob(a.id))?.getState(),
  pause: (a) => queue(a).pause(),
  resume: (a) => queue(a).resume(),
  work: async (a) => {
    const worker = new Worker(a.queue, work, { connection: connect(), prefix: a.prefix, ...a.opts });
    for (const event of ['completed', 'failed']) worker.on(event, (job) => ended.push({ id: job?.id, event }));
    worker.on('error', (error) => ended.push({ id: null, event: 'error', text: String(error.message) }));
    await worker.waitUntilReady();
  },
  release: () => { held.splice(0).forEach((release) => release()); },
  ended: () => ended.splice(0),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { op, ...args } = JSON.parse(line);
  try {
    console.log(JSON.stringify({ value: (await ops[op](args)) ?? null }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error.stack ?? error) }));
  }
}
process.exit(0);

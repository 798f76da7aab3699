'use strict';
const kPeriodMs = 500, kShown = 600;  // five minutes
const byId = (id) => document.getElementById(id);
const history = [];  // of {at, ms, age, plan, heat}
const changes = [];
let before = null, answered = 0;

function theme(dark) {
  document.documentElement.classList.toggle('dark', dark);
  byId('theme').textContent = dark ? 'Light' : 'Dark';
}
const prefers = matchMedia('(prefers-color-scheme: dark)');
theme(prefers.matches);
prefers.addEventListener('change', () => theme(prefers.matches));
byId('theme').onclick = () => theme(!document.documentElement.classList.contains('dark'));

function element(name, text, kind) {
  const made = document.createElement(name);
  made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

const fixed = (value, digits) => value == null ? '-' : value.toFixed(digits);
const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString();
const kindOf = (plan) => plan === 'int8' || plan === 'fp16' ? plan : 'other';

function showTiles(s) {
  const passed = before ? (s.at - before.at) / 1000 : 0;
  const fps = passed > 0 && s.frame >= before.frame ? (s.frame - before.frame - (s.dropped - before.dropped)) / passed : null;
  const tiles = [['plan', s.plan], ['ms latency', fixed(s.ms, 2)], ['ms age', fixed(s.age_ms, 1)],
    ['frames a second', fps == null ? '-' : fps.toFixed(1)], ['frames dropped', s.dropped], ['frame', s.frame]];
  if (s.reason) tiles.push(['reason of the plan', s.reason], ['agreement with fp16', fixed(s.score, 2)]);
  if (s.temperature_c != null) tiles.push(['degrees C', fixed(s.temperature_c, 1)]);
  if (s.slot) tiles.push(['slot of the store', s.slot.toUpperCase()]);
  byId('tiles').replaceChildren(...tiles.map(([name, value]) => {
    const tile = element('div', '', 'tile');
    tile.append(element('b', value), element('span', name));
    tile.title = `${name}: ${value}`;
    return tile;
  }));
}

function showFound(s) {
  const rows = (s.detections || s.classes || s.segments || []).slice(0, 12).map((one) => {
    const row = element('tr', '');
    const share = one.score ?? one.share;
    const id = one.id == null ? '' : ` #${one.id}`;
    row.append(element('td', `${one.label ?? one.class ?? ''}${id}`), element('td', share == null ? '' : share.toFixed(2)));
    return row;
  });
  if (rows.length === 0) rows.push(element('tr', '')), rows[0].append(element('td', 'nothing'));
  byId('found').replaceChildren(...rows);
}

function shape(name, attributes, text) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text != null) made.textContent = text;
  return made;
}

// Lines of [class, value of an entry] over time, with the lowest and highest value beside them.
function chart(id, lines, from) {
  const svg = byId(id), width = svg.clientWidth, height = svg.clientHeight, left = 44, bottom = 14;
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  const values = history.flatMap((entry) => lines.map(([, of]) => of(entry)).filter((value) => value != null));
  if (values.length === 0 || width === 0) return;
  const top = Math.max(...values), low = from ?? Math.min(...values), span = top - low || 1;
  const x = (i) => left + (width - left - 4) * (history.length < 2 ? 1 : i / (history.length - 1));
  const y = (value) => 6 + (height - bottom - 10) * (1 - (value - low) / span);
  const parts = [low, low + span].flatMap((value) => [
    shape('line', {x1: left, x2: width, y1: y(value), y2: y(value)}),
    shape('text', {x: left - 4, y: y(value) + 4, 'text-anchor': 'end'}, value.toFixed(span < 10 ? 1 : 0))]);
  for (const [kind, of] of lines) {
    const points = history.map((entry, i) => of(entry) == null ? '' : `${x(i).toFixed(1)},${y(of(entry)).toFixed(1)}`);
    parts.push(shape('polyline', {class: kind, points: points.join(' ')}));
  }
  parts.push(...times(left, width, height));
  svg.replaceChildren(...parts);
}

function times(left, width, height) {
  return [shape('text', {x: left, y: height - 2}, clock(history[0].at)),
    shape('text', {x: width - 2, y: height - 2, 'text-anchor': 'end'}, clock(history[history.length - 1].at))];
}

function showPlans() {
  const svg = byId('plans'), width = svg.clientWidth, height = svg.clientHeight;
  if (width === 0) return;
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  const step = width / history.length, parts = [];
  for (let i = 0, end; i < history.length; i = end) {
    for (end = i; end < history.length && history[end].plan === history[i].plan;) ++end;
    parts.push(shape('rect', {x: i * step, y: 0, width: (end - i) * step, height: 16, class: kindOf(history[i].plan)}));
  }
  svg.replaceChildren(...parts, ...times(0, width, height));
  byId('reasons').replaceChildren(...changes.slice(-20).reverse().map((change) => element('li', change)));
}

function draw() {
  if (history.length === 0) return;
  chart('times', [['line-ms', (e) => e.ms], ['line-age', (e) => e.age]], 0);
  showPlans();
  if (history.some((e) => e.heat != null)) {
    byId('heat').hidden = false;
    chart('temperature', [['line-heat', (e) => e.heat]]);
  }
}

function take(s) {
  if (before && s.frame === before.frame && s.time === before.time) return;
  if (!before || before.plan !== s.plan) changes.push(`${clock(s.time)}  ${s.plan}${s.reason ? ': ' + s.reason : ''}`);
  history.push({at: s.time, ms: s.ms, age: s.age_ms, plan: s.plan, heat: s.temperature_c});
  if (history.length > kShown) history.shift();
  showTiles(s);
  showFound(s);
  showZones(s);
  draw();
  before = s;
  document.body.dataset.frames = history.length;
}

function state(kind, text) {
  byId('state').className = kind;
  byId('state').textContent = text;
}

async function ask() {
  try {
    const s = await (await fetch('status.json')).json();
    answered = Date.now();
    if (s.frame == null) return;
    // When the result stood, by the clock of this page: the board's may show another time.
    s.at = performance.now() - s.since_ms;
    take(s);
    const quiet = s.since_ms / 1000;
    quiet > 5 ? state('silent', `no new frame for ${Math.round(quiet)} s`) : state('live', 'live');
  } catch (error) {
    state('silent', answered ? `no answer since ${new Date(answered).toLocaleTimeString()}` : 'no answer');
  }
}
addEventListener('resize', draw);
setInterval(ask, kPeriodMs);
ask();

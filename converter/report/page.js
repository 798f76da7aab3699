
"use strict";
(() => {
  // Names come from the model: they reach the page as text nodes and attributes, never as markup.
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";

  function make(space, name, attributes, children) {
    const node = space ? document.createElementNS(space, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (typeof value === "function") node.addEventListener(key, value);
      else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value === true ? "" : value);
    }
    for (const child of children) if (child !== null && child !== undefined) node.append(child);
    return node;
  }
  const el = (name, attributes, ...children) => make(null, name, attributes, children);
  const svg = (name, attributes, ...children) => make(SVG, name, attributes, children);

  const number = (value, digits) => value === null || value === undefined ? "–" : value.toFixed(digits);
  const exponent = (value) => value === null ? "–" : value === 0 ? "0" : value.toPrecision(3);
  const percent = (value) => value === null ? "–" : (100 * value).toFixed(value > 0 && value < 0.001 ? 3 : 2) + " %";
  const bytes = (value) => value >= 1e6 ? (value / 1e6).toFixed(2) + " MB" : value >= 1e3 ? (value / 1e3).toFixed(1) + " kB" : value + " B";
  const limits = data.limits;

  // ---- theme: the system's, until the button is used.
  const dark = matchMedia("(prefers-color-scheme: dark)");
  function setTheme(isDark) {
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    byId("theme").textContent = isDark ? "Light" : "Dark";
    byId("theme").setAttribute("aria-pressed", String(isDark));
    byId("theme").setAttribute("aria-label", isDark ? "Use light colours" : "Use dark colours");
  }
  let chosen = false;
  setTheme(dark.matches);
  dark.addEventListener("change", () => chosen || setTheme(dark.matches));
  byId("theme").addEventListener("click", () => {
    chosen = true;
    setTheme(document.documentElement.dataset.theme !== "dark");
  });

  // ---- verdict
  function card(title, figure, bad) {
    return el("div", {class: bad ? "card bad" : "card"}, el("b", {}, figure), el("span", {}, title));
  }
  function showVerdict() {
    document.title = "Octet report: " + data.model;
    byId("model").textContent = data.model;
    byId("about").textContent = `octet ${data.octet}, calibrated with ${data.samples} samples, compared on ${data.compared}`;
    const cards = byId("cards");
    const judged = data.judgement;
    if (judged && judged.figure !== null) {
      const [low, high] = judged.interval;
      cards.append(card(`INT8, ${judged.figure_name}: ${number(judged.figure, 2)}, ` +
        `with 95 % certainty ${number(low, 2)} to ${number(high, 2)}; limit ${number(judged.limit, 0)}`, judged.judgement, judged.judgement === "bad"));
    } else if (judged) {
      cards.append(card("judgement", judged.judgement, judged.judgement === "bad"));
    }
    for (const output of data.outputs.slice(0, 6)) {
      const bad = output.snr_db < limits.output_db || output.cosine < limits.output_cosine;
      cards.append(card(`output ${output.name}: energy over error, cosine ${number(output.cosine, 4)}`, number(output.snr_db, 1) + " dB", bad));
    }
    const flagged = data.layers.filter((layer) => layer.flags.length > 0).length;
    const fp16 = data.layers.filter((layer) => layer.precision === "fp16").length;
    cards.append(card(`of ${data.layers.length} layers flagged`, String(flagged), flagged > 0));
    cards.append(card("layers in FP16", String(fp16), false));
    const missing = data.coverage.missing.length;
    cards.append(card(`of ${data.coverage.tensors} INT8 tensors without a scale (${data.coverage.own} own, ` +
      `${data.coverage.shared} shared, ${data.coverage.given} given)`, String(missing), missing > 0));
    cards.append(card("blob", bytes(data.blob_bytes), false));
    const lines = byId("lines");
    const link = (layer) => el("button", {type: "button", click: () => open(layer)}, layer.name);
    // A line that begins with a layer's name leads there.
    for (const line of data.verdict) {
      const named = data.layers.find((layer) => line.startsWith(`'${layer.name}' `));
      lines.append(named ? el("li", {}, link(named), line.slice(named.name.length + 2)) : el("li", {}, line));
    }
    const worst = data.layers.filter((layer) => layer.cause !== "").sort((a, b) => b.noise_added - a.noise_added).slice(0, 3);
    for (const layer of data.verdict.length > 0 ? [] : worst) {
      lines.append(el("li", {}, link(layer), ` (${layer.op}) adds ${percent(layer.noise_added)} of noise: ${layer.cause}`));
    }
    if (data.warnings.length > 0) {
      byId("warnings").append(el("details", {open: data.warnings.length <= 3},
        el("summary", {}, `${data.warnings.length} warning${data.warnings.length === 1 ? "" : "s"}`),
        el("ul", {}, ...data.warnings.map((line) => el("li", {}, line)))));
    }
  }

  // ---- plots
  const WIDTH = 1100;
  function axisY(plot, box, low, high, count, text) {
    for (let i = 0; i <= count; ++i) {
      const value = low + (high - low) * i / count;
      const y = box.bottom - (box.bottom - box.top) * i / count;
      plot.append(svg("line", {class: "axis", x1: box.left, x2: box.right, y1: y, y2: y}),
        svg("text", {x: box.left - 6, y: y + 4, "text-anchor": "end"}, text(value)));
    }
  }

  function showSnr() {
    const box = {left: 44, right: WIDTH - 8, top: 10, bottom: 210};
    const count = Math.max(1, data.layers.length), step = (box.right - box.left) / count;
    const high = Math.max(50, Math.min(100, ...[Math.max(0, ...data.layers.map((layer) => layer.snr_db))]));
    const plot = svg("svg", {viewBox: `0 0 ${WIDTH} 222`, role: "group", "aria-label": "Signal over noise of each layer in dB; the table below has the figures"});
    axisY(plot, box, 0, high, 5, (value) => Math.round(value));
    data.layers.forEach((layer, i) => {
      const share = Math.max(0.01, Math.min(1, layer.snr_db / high));
      const fill = layer.precision === "fp16" ? "fill-fp16" : layer.snr_db < limits.output_db ? "fill-bad" : "fill-int8";
      const title = svg("title", {}, `${layer.name} (${layer.op}): ${number(layer.snr_db, 1)} dB`);
      const left = box.left + i * step, height = (box.bottom - box.top) * share;
      plot.append(svg("g", {class: "pick", click: () => open(layer)}, title,
        svg("rect", {class: "hit", x: left, y: box.top, width: step, height: box.bottom - box.top}),
        svg("rect", {class: fill, x: left + step * 0.1, y: box.bottom - height, width: step * 0.8, height})));
    });
    byId("snr").append(plot);
    const legend = byId("snr-legend");
    legend.append(el("span", {}, el("span", {class: "key int8"}), "INT8"), el("span", {}, el("span", {class: "key fp16"}), "FP16"),
      el("span", {}, el("span", {class: "key bad"}), `below ${limits.output_db} dB`), el("span", {}, "vertical: dB"));
  }

  function histogram(layer) {
    const {fp32, int8, codes_per_bin: perBin} = layer.histogram;
    const box = {left: 60, right: WIDTH - 8, top: 10, bottom: 190};
    const step = (box.right - box.left) / fp32.length;
    const holder = el("div", {class: "plot"});
    function draw(logarithmic) {
      const scale = (count) => logarithmic ? Math.log1p(count) : count;
      const most = Math.max(1, ...fp32.map(scale), ...int8.map(scale));
      const plot = svg("svg", {viewBox: `0 0 ${WIDTH} 230`, role: "img",
        "aria-label": `Histograms of FP32 and INT8, overlap ${number(layer.overlap, 3)}`});
      plot.append(svg("line", {class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom}));
      fp32.forEach((count, i) => {
        const first = (i - 1) * perBin - 128;
        const codes = i === 0 ? "below all codes" : i === fp32.length - 1 ? "above all codes" : `codes ${first} to ${first + perBin - 1}`;
        const column = svg("g", {}, svg("title", {}, `${codes}: FP32 ${count}, INT8 ${int8[i]}`));
        for (const [kind, value, place] of [["fp32", count, 0.08], ["int8", int8[i], 0.5]]) {
          const height = (box.bottom - box.top) * scale(value) / most;
          column.append(svg("rect", {class: "fill-" + kind, x: box.left + (i + place) * step, y: box.bottom - height, width: step * 0.42, height}));
        }
        plot.append(column);
      });
      const real = (code) => layer.scales === 1 ? ` = ${exponent(layer.scale * (code - layer.zero_point))}` : "";
      for (const code of [-128, -64, 0, 64, 127]) {
        const x = box.left + ((code + 128) / perBin + 1) * step;
        plot.append(svg("text", {x, y: box.bottom + 18, "text-anchor": code === 127 ? "end" : "middle"}, `${code}${real(code)}`));
      }
      plot.append(svg("text", {x: box.left, y: box.bottom + 36}, "cut off below"),
        svg("text", {x: box.right, y: box.bottom + 36, "text-anchor": "end"}, "cut off above"));
      holder.replaceChildren(plot);
    }
    draw(true);
    const toggle = el("input", {type: "checkbox", checked: true, change: () => draw(toggle.checked)});
    return el("div", {},
      el("p", {class: "legend"}, el("span", {}, el("span", {class: "key fp32"}), "FP32"), el("span", {}, el("span", {class: "key int8"}), "INT8"),
        el("label", {}, toggle, " logarithmic"), el("span", {}, layer.scales === 1 ? "horizontal: code = real value" : "horizontal: code, each channel in its own scale")),
      holder);
  }

  // ---- table
  const columns = [
    {title: "layer", key: (l) => l.name, text: true},
    {title: "operator", key: (l) => l.op, text: true},
    {title: "precision", key: (l) => l.precision, text: true},
    {title: "SNR dB", key: (l) => l.snr_db, show: (l) => number(l.snr_db, 2), bar: true, bad: (l) => l.snr_db < limits.output_db},
    {title: "adds", key: (l) => l.noise_added, show: (l) => percent(l.noise_added), help: "Share of noise behind the layer less that of its worst input"},
    {title: "cosine", key: (l) => l.cosine, show: (l) => number(l.cosine, 5)},
    {title: "MSE", key: (l) => l.mse, show: (l) => exponent(l.mse)},
    {title: "noise σ", key: (l) => l.noise_sigma, show: (l) => exponent(l.noise_sigma), help: "Standard deviation of the error"},
    {title: "clipped", key: (l) => l.clipped, show: (l) => percent(l.clipped), help: "FP32 numbers beyond the range of the codes"},
    {title: "saturated", key: (l) => l.saturated, show: (l) => percent(l.saturated), help: "INT8 numbers beyond the range before they were cut off"},
    {title: "overlap", key: (l) => l.overlap, show: (l) => number(l.overlap, 3), bad: (l) => l.flags.includes("overlap"), help: "Of the histograms of FP32 and INT8"},
    {title: "weights KL", key: (l) => l.weights ? l.weights.kl : null, show: (l) => l.weights ? number(l.weights.kl, 3) : "–", bad: (l) => l.flags.includes("weights"), help: "Divergence of the weights' histograms"},
    {title: "flags", key: (l) => l.flags.length, show: null},
  ];
  let sortBy = 4, descending = true;
  const opened = new Set();

  function facts(layer) {
    const pair = (values) => `${exponent(values[0])} to ${exponent(values[1])}`;
    const rows = [
      ["result", layer.tensor], ["shape", layer.shape.join(" × ")], ["range", pair(layer.range)], ["chosen by", layer.origin || "the model"],
      ["seen", pair(layer.seen)], ["mean ∓ 4 σ, seen", pair(layer.four_sigma)], ["beyond 4 σ", percent(layer.beyond_four_sigma)],
      ["range by 4 σ", number(layer.range_by_four_sigma, 2)], ["scale", layer.scales === 1 ? exponent(layer.scale) : `${layer.scales}, by channel`],
      ["mean, σ", `${exponent(layer.mean)}, ${exponent(layer.sigma)}`], ["mean error", exponent(layer.error_mean)],
    ];
    if (layer.weights) {
      rows.push(["weights SNR", number(layer.weights.snr_db, 1) + " dB"],
        ["worst channel", `${layer.weights.worst_channel} of ${layer.weights.channels}, ${number(layer.weights.worst_channel_db, 1)} dB`],
        ["weights rounded to 0", percent(layer.weights.zeros)]);
    }
    return el("dl", {class: "facts"}, ...rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
  }

  function cell(column, layer) {
    if (column.title === "layer") {
      const isOpen = opened.has(layer);
      return el("td", {}, el("button", {type: "button", class: "open", title: layer.name, "aria-expanded": String(isOpen),
        click: () => { isOpen ? opened.delete(layer) : opened.add(layer); fill(layer); }}, layer.name));
    }
    if (column.title === "flags") return el("td", {}, ...layer.flags.map((flag) => el("span", {class: "flag"}, flag)));
    const shown = el("td", {class: column.text ? "text" : column.bad && column.bad(layer) ? "bad" : null}, column.show ? column.show(layer) : column.key(layer));
    if (column.bar) {
      const bar = el("span", {class: "bar"});
      bar.style.width = Math.max(1, Math.min(100, layer.snr_db * 2)) + "%";
      shown.append(bar);
    }
    return shown;
  }

  function shownLayers() {
    const words = byId("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const precision = byId("precision").value, flagged = byId("flagged").checked;
    const chosen = data.layers.filter((layer) => {
      const text = `${layer.name} ${layer.op} ${layer.cause} ${layer.flags.join(" ")}`.toLowerCase();
      return words.every((word) => text.includes(word)) && (!precision || layer.precision === precision) && (!flagged || layer.flags.length > 0);
    });
    const key = columns[sortBy].key;
    return chosen.sort((a, b) => {
      const x = key(a), y = key(b);
      if (x === null || y === null) return (x === null) - (y === null);  // nothing to compare: last, either way
      const order = typeof x === "string" ? x.localeCompare(y, "en", {numeric: true}) : x - y;
      return descending ? -order : order;
    });
  }

  function fillHead() {
    byId("table").tHead.replaceChildren(el("tr", {}, ...columns.map((column, i) =>
      el("th", {scope: "col", class: column.text ? "text" : null, "aria-sort": i === sortBy ? (descending ? "descending" : "ascending") : null},
        el("button", {type: "button", title: column.help, click: () => {
          descending = i === sortBy ? !descending : !column.text;
          sortBy = i;
          fillHead();
          fill();
          byId("table").tHead.querySelectorAll("button")[i].focus();
        }}, column.title)))));
  }

  // `focused`: the layer whose button keeps the focus.
  function fill(focused) {
    const rows = [];
    const layers = shownLayers();
    let button = null;
    for (const layer of layers) {
      const row = el("tr", {class: layer.precision}, ...columns.map((column) => cell(column, layer)));
      if (layer === focused) button = row.querySelector("button");
      rows.push(row);
      if (opened.has(layer)) {
        rows.push(el("tr", {class: "detail"}, el("td", {colspan: columns.length},
          el("div", {class: "inside"}, layer.cause ? el("p", {}, "Why: " + layer.cause) : null, facts(layer), histogram(layer)))));
      }
    }
    byId("table").tBodies[0].replaceChildren(...rows);
    byId("count").textContent = `${layers.length} of ${data.layers.length} layers`;
    if (button) button.focus();
  }

  // From elsewhere on the page: the layer's row, opened, whatever the filters.
  function open(layer) {
    byId("filters").reset();
    opened.add(layer);
    fill(layer);
    if (document.activeElement) document.activeElement.scrollIntoView({block: "center"});
  }

  function showLayers() {
    fillHead();
    fill();
    byId("filters").addEventListener("submit", (event) => event.preventDefault());
    for (const id of ["find", "precision", "flagged"]) byId(id).addEventListener("input", () => fill());
  }

  // ---- assignment
  function showPareto() {
    const points = data.pareto.slice().sort((a, b) => a.time_ms - b.time_ms || a.loss - b.loss);
    if (points.length === 0) return;
    byId("pareto").hidden = false;
    const box = {left: 64, right: WIDTH - 20, top: 12, bottom: 250};
    const span = (values) => [Math.min(...values), Math.max(...values)];
    const [t0, t1] = span(points.map((p) => p.time_ms)), [l0, l1] = span(points.map((p) => p.loss));
    const x = (p) => box.left + 12 + (box.right - box.left - 24) * (t1 > t0 ? (p.time_ms - t0) / (t1 - t0) : 0.5);
    const y = (p) => box.bottom - (box.bottom - box.top) * (l1 > l0 ? (p.loss - l0) / (l1 - l0) : 0.5);
    const plot = svg("svg", {viewBox: `0 0 ${WIDTH} 300`, role: "img", "aria-label": "Loss against time of each assignment"});
    axisY(plot, box, l0, l1, 4, exponent);
    let best = Infinity;
    const front = points.filter((p) => p.loss < best && ((best = p.loss), true));
    plot.append(svg("polyline", {class: "front", points: front.map((p) => `${x(p)},${y(p)}`).join(" ")}));
    for (const point of points) {
      plot.append(svg("circle", {class: front.includes(point) ? "fill-int8" : "fill-fp16", cx: x(point), cy: y(point), r: 5},
        svg("title", {}, `${point.name}: ${exponent(point.time_ms)} ms, loss ${exponent(point.loss)}, ${point.fp16_layers} layers in FP16`)));
      byId("pareto-table").tBodies[0].append(el("tr", {}, el("td", {}, point.name + (point.chosen ? " (chosen)" : "")),
        el("td", {}, exponent(point.time_ms) + " ms"), el("td", {}, `${exponent(point.loss)} ± ${exponent(point.loss_error)}`), el("td", {}, String(point.fp16_layers))));
    }
    for (const p of points.filter((point) => point.chosen)) plot.append(svg("circle", {class: "ring", cx: x(p), cy: y(p), r: 9}));
    for (const p of [points[0], points[points.length - 1]]) {
      plot.append(svg("text", {x: x(p), y: box.bottom + 20, "text-anchor": p === points[0] ? "start" : "end"}, exponent(p.time_ms) + " ms"));
    }
    plot.append(svg("text", {x: box.left, y: 292}, "horizontal: time; vertical: loss; ring: chosen"));
    byId("pareto-plot").append(plot);
  }

  // ---- precision, node by node
  function showLedger() {
    if (data.ledger.length === 0) return;
    byId("ledger").hidden = false;
    for (const row of data.ledger) {
      const others = row.overruled.map((entry) => `${entry.wants}: ${entry.text}`).join("; ");
      byId("ledger-table").tBodies[0].append(el("tr", {class: row.precision}, el("td", {}, row.name), el("td", {}, row.op), el("td", {}, row.precision),
        el("td", {}, row.text), el("td", {}, row.gain_db === null ? "–" : number(row.gain_db, 1) + " dB"), el("td", {}, others || "–")));
    }
  }

  // ---- memory
  function drawMemory(memory) {
    const box = {left: 72, right: WIDTH - 8, top: 10, bottom: 260};
    const count = Math.max(1, memory.layers.length), step = (box.right - box.left) / count;
    const high = Math.max(1, memory.arena_bytes);
    const y = (value) => box.bottom - (box.bottom - box.top) * value / high;
    const plot = svg("svg", {viewBox: `0 0 ${WIDTH} 290`, role: "img",
      "aria-label": `Arena of ${memory.arena_bytes} bytes over ${memory.layers.length} layers, lower bound ${memory.lower_bound_bytes} bytes`});
    axisY(plot, box, 0, high, 4, bytes);
    for (const tensor of memory.tensors) {
      plot.append(svg("rect", {class: "block", x: box.left + tensor.first_layer * step, y: y(tensor.offset_bytes + tensor.bytes),
        width: (tensor.last_layer - tensor.first_layer + 1) * step, height: y(tensor.offset_bytes) - y(tensor.offset_bytes + tensor.bytes)},
        svg("title", {}, `${tensor.name}: ${bytes(tensor.bytes)} at ${tensor.offset_bytes}, layers ${tensor.first_layer} to ${tensor.last_layer}`)));
    }
    const line = memory.live_bytes.map((live, i) => `${i ? "L" : "M"}${box.left + i * step},${y(live)}H${box.left + (i + 1) * step}`).join("");
    plot.append(svg("path", {class: "live", d: line}),
      svg("line", {class: "bound", x1: box.left, x2: box.right, y1: y(memory.lower_bound_bytes), y2: y(memory.lower_bound_bytes)}),
      svg("text", {x: box.left, y: box.bottom + 20}, "horizontal: layers in the order of execution"));
    byId("memory-plot").replaceChildren(plot);
    byId("memory-figures").textContent = `arena ${bytes(memory.arena_bytes)}, lower bound ${bytes(memory.lower_bound_bytes)}`;
  }
  function showMemory() {
    if (data.memory.length === 0) return;
    byId("memory").hidden = false;
    data.memory.forEach((memory, i) => byId("plan").append(el("option", {value: i}, memory.plan)));
    byId("plan").addEventListener("change", () => drawMemory(data.memory[byId("plan").value]));
    byId("memory-legend").append(el("span", {}, el("span", {class: "key fp32"}), "tensor"),
      el("span", {}, el("span", {class: "key int8"}), "bytes in use"), el("span", {}, "dashed: lower bound of any arena"));
    drawMemory(data.memory[0]);
  }

  // ---- recovery
  function showGains() {
    if (data.gains.length === 0) return;
    byId("gains").hidden = false;
    for (const gain of data.gains) {
      byId("gains-table").tBodies[0].append(el("tr", {}, el("td", {}, gain.step), el("td", {}, `${number(gain.before, 2)} ${gain.unit}`),
        el("td", {}, `${number(gain.after, 2)} ${gain.unit}`), el("td", {}, `${gain.after >= gain.before ? "+" : ""}${number(gain.after - gain.before, 2)} ${gain.unit}`),
        el("td", {}, gain.kept ? "yes" : "no")));
    }
  }

  // ---- pictures
  function showPictures() {
    if (data.pictures.length === 0) return;
    byId("pictures").hidden = false;
    for (const picture of data.pictures) {
      const overlay = svg("svg", {viewBox: `0 0 ${picture.width} ${picture.height}`, preserveAspectRatio: "none", "aria-hidden": "true"});
      // Dark edges under both, then FP32, then INT8, dashed, so that neither hides the other.
      for (const stroke of ["edge", "ink"]) {
        for (const kind of ["fp32", "int8"]) {
          overlay.append(svg("g", {class: kind}, ...picture[kind].map(({box: [left, top, right, bottom]}) =>
            svg("rect", {class: stroke, x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top)}))));
        }
      }
      const list = (kind) => picture[kind].map((found) => `${found.label} ${number(found.score, 2)}`).join(", ") || "nothing";
      byId("album").append(el("figure", {},
        el("div", {class: "frame"}, el("img", {src: "data:image/jpeg;base64," + picture.jpeg, alt: "A picture of the calibration data"}), overlay),
        el("figcaption", {}, el("div", {class: "fp32"}, el("span", {class: "key fp32"}), "FP32: " + list("fp32")),
          el("div", {class: "int8"}, el("span", {class: "key int8"}), "INT8: " + list("int8")))));
    }
    for (const kind of ["fp32", "int8"]) {
      byId("show-" + kind).addEventListener("change", (event) => byId("album").classList.toggle("no-" + kind, !event.target.checked));
    }
  }

  showVerdict();
  showSnr();
  showLayers();
  showPareto();
  showLedger();
  showMemory();
  showGains();
  showPictures();
})();

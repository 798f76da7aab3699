// Counts of zones and lines, and new ones drawn with the mouse.
const points = [];  // shares of the picture
const drawing = byId('drawing');

function showZones(s) {
  byId('counts').hidden = !s.zones;
  byId('zones').replaceChildren(...(s.zones || []).map((zone) => {
    const row = element('tr', '');
    const inside = zone.inside == null ? '' : `, ${zone.inside} inside`;
    row.append(element('td', zone.name), element('td', `${zone.in} in, ${zone.out} out${inside}`));
    return row;
  }));
}

// Where the picture is in the window: it keeps its sides' ratio within the image's place.
function placeOfPicture() {
  const image = document.images[0], place = image.getBoundingClientRect();
  const scale = Math.min(place.width / image.naturalWidth, place.height / image.naturalHeight);
  const width = image.naturalWidth * scale, height = image.naturalHeight * scale;
  return {left: place.left + (place.width - width) / 2, top: place.top + (place.height - height) / 2, width, height};
}

function showDrawing() {
  const place = placeOfPicture(), over = drawing.getBoundingClientRect();
  drawing.setAttribute('viewBox', `0 0 ${over.width} ${over.height}`);
  const inWindow = points.map(([x, y]) => [place.left - over.left + x * place.width, place.top - over.top + y * place.height]);
  const dots = inWindow.map(([x, y]) => shape('circle', {cx: x, cy: y, r: 4}));
  const outline = shape(points.length > 2 ? 'polygon' : 'polyline', {points: inWindow.map((p) => p.join(',')).join(' ')});
  drawing.replaceChildren(outline, ...dots);
  const text = points.map((p) => p.map((share) => share.toFixed(4)).join(',')).join(' ');
  const kind = points.length === 2 ? ['lines', 'line1'] : ['zones', 'zone1'];
  byId('drawn').value = points.length < 2 ? '' : `${kind[0]}: ["${kind[1]}=${text}"]`;
}

byId('draw').onclick = () => {
  const on = drawing.classList.toggle('on');
  byId('draw').textContent = on ? 'Stop' : 'Draw';
  if (on) points.length = 0;
  showDrawing();
};
byId('undo').onclick = () => {
  points.pop();
  showDrawing();
};
byId('copy').onclick = () => {
  byId('drawn').select();
  // Without a secure origin there is no clipboard; the text is selected then.
  if (navigator.clipboard) navigator.clipboard.writeText(byId('drawn').value).catch(() => {});
};
drawing.onclick = (event) => {
  const place = placeOfPicture();
  const share = (at, from, size) => Math.min(1, Math.max(0, (at - from) / size));
  points.push([share(event.clientX, place.left, place.width), share(event.clientY, place.top, place.height)]);
  showDrawing();
};
addEventListener('resize', showDrawing);

#include "ports/linux/camera/program/observers.h"

namespace octet::port {

const std::vector<Feature>& Features() {
  static const std::vector<Feature> features = {
      {DescribeGuard, MakeGuard}, {DescribeDrift, MakeDrift},   {DescribeTemporal, MakeTemporal},
      {DescribeScore, MakeScore}, {DescribePage, MakePage},     {DescribeDump, MakeDump},
      {DescribeSlots, MakeSlots}, {DescribeStarts, MakeStarts}, {DescribeTelemetry, MakeTelemetry},
  };
  return features;
}

}  // namespace octet::port
